#!/bin/sh
# Builds and runs the solver benchmarks; see README.md beside this file.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
: "${SUNDIALS:?set SUNDIALS to an installation of SUNDIALS built with -O3 and KLU}"
: "${REFERENCE:?set REFERENCE to the CSV file of the ladder}"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
klu="-lklu -lamd -lcolamd -lbtf -lsuitesparseconfig -lm"
lib="$SUNDIALS/lib"
[ -d "$lib" ] || lib="$SUNDIALS/lib64"
common="$lib/libsundials_sunlinsolklu.a $lib/libsundials_sunmatrixsparse.a $lib/libsundials_nvecserial.a $lib/libsundials_generic.a"
include="-I$SUNDIALS/include -I/usr/include/suitesparse"
cc -O3 $include "$here/ladder_ida.c" -o "$out/ladder_ida" "$lib/libsundials_ida.a" $common $klu
cc -O3 $include "$here/heat_cvode.c" -o "$out/heat_cvode" "$lib/libsundials_cvode.a" $common $klu
cc -O3 $include "$here/ladder_klu.c" -o "$out/ladder_klu" $klu
cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p ferrica-solvers --examples
ours="${CARGO_TARGET_DIR:-$root/target}/release/examples"
repeats=${REPEATS:-30}
measure() {
for rtol in 1e-4 1e-6 1e-8; do
  "$ours/rlc_ladder" 1000 $rtol "$REFERENCE" "$repeats"
  "$out/ladder_ida" 1000 $rtol "$REFERENCE" "$repeats"
done
for rtol in 1e-4 1e-6 1e-8; do
  "$ours/heat_rod" 1000 $rtol "$repeats"
  "$out/heat_cvode" 1000 $rtol "$repeats" band
  "$out/heat_cvode" 1000 $rtol "$repeats" klu
done
"$ours/linear_ladder" 10 100 1000 5000
"$out/ladder_klu" 10 100 1000 5000
}
measure > "$out/figures"
cat "$out/figures"
# What README and book quote.
python3 "$root/bench/figures.py" solvers "$out/figures"
