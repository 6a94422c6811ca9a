use super::*;

fn matrix(rows: usize, columns: usize, data: &[f64]) -> Matrix {
    Matrix {
        rows,
        columns,
        data: data.to_vec(),
    }
}

#[test]
fn text_tables() {
    let text = "#1\n# a comment\ndouble other(1,2)\n1 2\ndouble tab(2,3) # the one\n\
                1,2;3 # first row\n\n4\t5\n6e1\n7\n";
    let m = text::parse(text, "tab").unwrap();
    assert_eq!(m, matrix(2, 3, &[1.0, 2.0, 3.0, 4.0, 5.0, 60.0]));
    assert!(
        text::parse(text, "none")
            .unwrap_err()
            .contains("other, tab")
    );
    assert_eq!(text::parse(&format!("\u{feff}{text}"), "tab"), Ok(m));
    assert!(text::parse("1 2", "tab").is_err());
    assert!(text::parse("#1\ndouble t(2,2)\n1 2 3", "t").is_err());
    assert!(text::parse("#1\ndouble t(1,2)\n1 x", "t").is_err());
    assert!(text::parse("#1\ndouble t(99999999999,99999999999)\n1", "t").is_err());
}

#[test]
fn comma_separated() {
    let m = csv::parse("a;b\n1;2\r\n3;4\n", ";", 1).unwrap();
    assert_eq!(m, matrix(2, 2, &[1.0, 2.0, 3.0, 4.0]));
    assert!(csv::parse("1,2\n3\n", ",", 0).is_err());
    assert!(csv::parse("", ",", 0).is_err());
}

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// Laid out by hand after the published description of the format, versions 4 and 5.
#[test]
fn matlab_files() {
    let mut v4 = words(&[0, 2, 2, 0, 2]);
    v4.extend(b"a\0");
    v4.extend([1.0f64, 3.0, 2.0, 4.0].iter().flat_map(|x| x.to_le_bytes()));
    let expected = matrix(2, 2, &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(mat(&v4, "a").unwrap(), expected);
    assert!(mat(&v4, "b").is_err());
    assert!(mat(&v4[..30], "a").is_err());

    let mut v5 = vec![b' '; 128];
    v5[..6].copy_from_slice(b"MATLAB");
    v5[124..].copy_from_slice(&[0, 1, b'I', b'M']);
    let mut body = words(&[6, 8, 6, 0, 5, 8, 2, 2, 0x0001_0001, 0x61, 2, 4]);
    body.extend([1u8, 3, 2, 4, 0, 0, 0, 0]);
    v5.extend(words(&[14, body.len() as u32]));
    v5.extend(&body);
    assert_eq!(mat(&v5, "a").unwrap(), expected);

    let mut compressed = v5[..128].to_vec();
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&v5[128..], 6);
    compressed.extend(words(&[15, packed.len() as u32]));
    compressed.extend(packed);
    assert_eq!(mat(&compressed, "a").unwrap(), expected);
    for cut in 0..compressed.len() {
        // Cut anywhere: an error, never a panic.
        assert!(mat(&compressed[..cut], "a").is_err());
    }
}
