//! The table functions by their C names.

use std::sync::Arc;

use super::one_d::Table1D;
use super::source::{self, SourceArgs};
use super::time::{TimeEvents, TimeTable, TimeTableOptions};
use super::two_d::Table2D;
use super::{Extrapolation, Smoothness};
use crate::call::{Call, TableKind};
use crate::registry::Registry;

pub(crate) fn register(r: &mut Registry) {
    r.pure("ModelicaStandardTables_CombiTimeTable_init", |call| {
        // tableName, fileName, table, nRow, nColumn, startTime, columns, nCols, smoothness,
        // extrapolation
        let at = source_at(1, 0, 2, None);
        time_table(call, &at, 5, 8, (None, None))
    });
    r.pure("ModelicaStandardTables_CombiTimeTable_init2", |call| {
        let at = source_at(0, 1, 2, Some(12));
        time_table(call, &at, 5, 8, (Some(10), Some(11)))
    });
    r.pure("ModelicaStandardTables_CombiTimeTable_init3", |call| {
        let at = source_with_csv(12);
        time_table(call, &at, 5, 8, (Some(10), Some(11)))
    });
    r.pure("ModelicaStandardTables_CombiTable1D_init", |call| {
        let at = source_at(1, 0, 2, None);
        table_1d(call, &at, false)
    });
    r.pure("ModelicaStandardTables_CombiTable1D_init2", |call| {
        let at = source_at(0, 1, 2, Some(9));
        table_1d(call, &at, true)
    });
    r.pure("ModelicaStandardTables_CombiTable1D_init3", |call| {
        let at = source_with_csv(9);
        table_1d(call, &at, true)
    });
    r.pure("ModelicaStandardTables_CombiTable2D_init", |call| {
        let at = source_at(1, 0, 2, None);
        table_2d(call, &at, false)
    });
    r.pure("ModelicaStandardTables_CombiTable2D_init2", |call| {
        let at = source_at(0, 1, 2, Some(7));
        table_2d(call, &at, true)
    });
    r.pure("ModelicaStandardTables_CombiTable2D_init3", |call| {
        let at = source_with_csv(7);
        table_2d(call, &at, true)
    });
    // Objects live as long as the run; there is nothing to free by hand.
    for name in [
        "ModelicaStandardTables_CombiTimeTable_close",
        "ModelicaStandardTables_CombiTable1D_close",
        "ModelicaStandardTables_CombiTable2D_close",
    ] {
        r.pure(name, |_| Ok(()));
    }
    // Tables are read when they are made; reading again finds them there.
    for name in [
        "ModelicaStandardTables_CombiTimeTable_read",
        "ModelicaStandardTables_CombiTable1D_read",
        "ModelicaStandardTables_CombiTable2D_read",
    ] {
        r.pure(name, |call| {
            call.return_real(1.0);
            Ok(())
        });
    }

    r.pure("ModelicaStandardTables_CombiTimeTable_getValue", |call| {
        let [y, ..] = time_jet(call)?;
        call.return_real(y);
        Ok(())
    });
    r.pure(
        "ModelicaStandardTables_CombiTimeTable_getDerValue",
        |call| {
            let [_, d, _] = time_jet(call)?;
            let y = d * call.real(5)?;
            call.return_real(y);
            Ok(())
        },
    );
    r.pure(
        "ModelicaStandardTables_CombiTimeTable_getDer2Value",
        |call| {
            let [_, d, dd] = time_jet(call)?;
            let y = dd * call.real(5)?.powi(2) + d * call.real(6)?;
            call.return_real(y);
            Ok(())
        },
    );
    r.pure(
        "ModelicaStandardTables_CombiTimeTable_minimumTime",
        |call| {
            let y = call.object_of::<TimeTable>(0)?.minimum();
            call.return_real(y);
            Ok(())
        },
    );
    r.pure(
        "ModelicaStandardTables_CombiTimeTable_maximumTime",
        |call| {
            let y = call.object_of::<TimeTable>(0)?.maximum();
            call.return_real(y);
            Ok(())
        },
    );
    r.pure(
        "ModelicaStandardTables_CombiTimeTable_nextTimeEvent",
        |call| {
            let y = call.object_of::<TimeTable>(0)?.next_event(call.real(1)?);
            call.return_real(y);
            Ok(())
        },
    );

    r.pure("ModelicaStandardTables_CombiTable1D_getValue", |call| {
        let [y, ..] = jet_1d(call)?;
        call.return_real(y);
        Ok(())
    });
    r.pure("ModelicaStandardTables_CombiTable1D_getDerValue", |call| {
        let [_, d, _] = jet_1d(call)?;
        let y = d * call.real(3)?;
        call.return_real(y);
        Ok(())
    });
    r.pure("ModelicaStandardTables_CombiTable1D_getDer2Value", |call| {
        let [_, d, dd] = jet_1d(call)?;
        let y = dd * call.real(3)?.powi(2) + d * call.real(4)?;
        call.return_real(y);
        Ok(())
    });
    r.pure(
        "ModelicaStandardTables_CombiTable1D_minimumAbscissa",
        |call| {
            let y = call.object_of::<Table1D>(0)?.minimum();
            call.return_real(y);
            Ok(())
        },
    );
    r.pure(
        "ModelicaStandardTables_CombiTable1D_maximumAbscissa",
        |call| {
            let y = call.object_of::<Table1D>(0)?.maximum();
            call.return_real(y);
            Ok(())
        },
    );

    r.pure("ModelicaStandardTables_CombiTable2D_getValue", |call| {
        let table = call.object_of::<Table2D>(0)?;
        let jet = table.at(call.real(1)?, call.real(2)?, (0.0, 0.0))?;
        call.return_real(jet.y);
        Ok(())
    });
    r.pure("ModelicaStandardTables_CombiTable2D_getDerValue", |call| {
        let table = call.object_of::<Table2D>(0)?;
        let (v1, v2) = (call.real(3)?, call.real(4)?);
        let j = table.at(call.real(1)?, call.real(2)?, (v1, v2))?;
        call.return_real(j.d1 * v1 + j.d2 * v2);
        Ok(())
    });
    r.pure("ModelicaStandardTables_CombiTable2D_getDer2Value", |call| {
        let table = call.object_of::<Table2D>(0)?;
        let (v1, v2) = (call.real(3)?, call.real(4)?);
        let j = table.at(call.real(1)?, call.real(2)?, (v1, v2))?;
        let curvature = j.d11 * v1 * v1 + 2.0 * j.d12 * v1 * v2 + j.d22 * v2 * v2;
        let y = curvature + j.d1 * call.real(5)? + j.d2 * call.real(6)?;
        call.return_real(y);
        Ok(())
    });
    r.pure(
        "ModelicaStandardTables_CombiTable2D_minimumAbscissa",
        |call| {
            let y = call.object_of::<Table2D>(0)?.minimum();
            call.fill(1, &y)
        },
    );
    r.pure(
        "ModelicaStandardTables_CombiTable2D_maximumAbscissa",
        |call| {
            let y = call.object_of::<Table2D>(0)?.maximum();
            call.fill(1, &y)
        },
    );
}

fn source_at(file: usize, name: usize, table: usize, verbose: Option<usize>) -> SourceArgs {
    SourceArgs {
        file: Some(file),
        name,
        table,
        verbose,
        delimiter: None,
        header_lines: None,
    }
}

/// fileName, tableName, table, …, verbose at k, delimiter, header lines.
fn source_with_csv(k: usize) -> SourceArgs {
    SourceArgs {
        delimiter: Some(k + 1),
        header_lines: Some(k + 2),
        ..source_at(0, 1, 2, Some(k))
    }
}

fn time_table(
    call: &mut dyn Call,
    at: &SourceArgs,
    start: usize,
    smoothness: usize,
    (shift, events): (Option<usize>, Option<usize>),
) -> Result<(), String> {
    let matrix = source::read(call, at, TableKind::Time)?;
    let options = TimeTableOptions {
        smoothness: Smoothness::from_number(call.int(smoothness)?)?,
        extrapolation: Extrapolation::from_number(call.int(smoothness + 1)?)?,
        events: events.map_or(Ok(TimeEvents::Always), |k| {
            TimeEvents::from_number(call.int(k)?)
        })?,
        start_time: call.real(start)?,
        shift_time: shift.map_or(Ok(0.0), |k| call.real(k))?,
    };
    let table = TimeTable::new(&matrix, call.array(start + 1)?, options)?;
    call.return_object(Arc::new(table));
    Ok(())
}

fn table_1d(call: &mut dyn Call, at: &SourceArgs, extrapolates: bool) -> Result<(), String> {
    let matrix = source::read(call, at, TableKind::OneD)?;
    let smoothness = Smoothness::from_number(call.int(7)?)?;
    let extrapolation = extrapolation(call, 8, extrapolates)?;
    let table = Table1D::new(&matrix, call.array(5)?, smoothness, extrapolation)?;
    call.return_object(Arc::new(table));
    Ok(())
}

fn table_2d(call: &mut dyn Call, at: &SourceArgs, extrapolates: bool) -> Result<(), String> {
    let matrix = source::read(call, at, TableKind::TwoD)?;
    let smoothness = Smoothness::from_number(call.int(5)?)?;
    let extrapolation = extrapolation(call, 6, extrapolates)?;
    let table = Table2D::new(&matrix, smoothness, extrapolation)?;
    call.return_object(Arc::new(table));
    Ok(())
}

/// The first version of the constructors has no such argument.
fn extrapolation(call: &dyn Call, k: usize, given: bool) -> Result<Extrapolation, String> {
    if given {
        Extrapolation::from_number(call.int(k)?)
    } else {
        Ok(Extrapolation::LastTwoPoints)
    }
}

fn time_jet(call: &dyn Call) -> Result<[f64; 3], String> {
    let table = call.object_of::<TimeTable>(0)?;
    table.at(call.int(1)?, call.real(2)?, call.real(3)?, call.real(4)?)
}

fn jet_1d(call: &dyn Call) -> Result<[f64; 3], String> {
    let table = call.object_of::<Table1D>(0)?;
    table.at(call.int(1)?, call.real(2)?)
}

#[cfg(test)]
mod tests {
    use crate::{Arguments, Value, lookup};

    /// A table made and read through its C names, as the standard library does it.
    #[test]
    fn a_table_from_the_model() {
        let text = |s: &str| Value::Text(s.to_string());
        let mut init = Arguments::new(vec![
            text("NoName"),
            text("NoName"),
            Value::matrix(2, 3, vec![0.0, 0.0, 5.0, 2.0, 4.0, 6.0]),
            Value::Real(2.0),
            Value::Real(3.0),
            Value::vector(vec![3.0, 2.0]),
            Value::Real(2.0),
            Value::Real(1.0),
            Value::Real(2.0),
            Value::Real(0.0),
            text(","),
            Value::Real(0.0),
        ]);
        lookup("ModelicaStandardTables_CombiTable1D_init3")
            .unwrap()
            .call(&mut init)
            .unwrap();
        let object = init.result.unwrap();
        for (column, expected) in [(1.0, 5.25), (2.0, 1.0)] {
            let mut get =
                Arguments::new(vec![object.clone(), Value::Real(column), Value::Real(0.5)]);
            lookup("ModelicaStandardTables_CombiTable1D_getValue")
                .unwrap()
                .call(&mut get)
                .unwrap();
            let Some(Value::Real(y)) = get.result else {
                panic!("no value")
            };
            assert_eq!(y, expected);
        }
    }
}
