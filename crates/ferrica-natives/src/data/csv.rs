//! Numbers separated by a delimiter, one row a line, after a number of header lines.

use super::Matrix;

pub fn parse(text: &str, delimiter: &str, header_lines: usize) -> Result<Matrix, String> {
    let delimiter = if delimiter.is_empty() { "," } else { delimiter };
    let mut matrix = Matrix::default();
    for (number, line) in text.lines().enumerate().skip(header_lines) {
        let line = line.trim_end_matches('\r');
        if line.trim().is_empty() {
            continue;
        }
        let before = matrix.data.len();
        for field in line.trim_end_matches(delimiter).split(delimiter) {
            let field = field.trim().trim_matches('"');
            matrix.data.push(
                field
                    .parse()
                    .map_err(|_| format!("line {}: `{field}` is not a number", number + 1))?,
            );
        }
        let width = matrix.data.len() - before;
        if matrix.rows == 0 {
            matrix.columns = width;
        } else if width != matrix.columns {
            return Err(format!(
                "line {} has {width} numbers, the lines before have {}",
                number + 1,
                matrix.columns
            ));
        }
        matrix.rows += 1;
    }
    if matrix.rows == 0 {
        return Err("there are no numbers".to_string());
    }
    Ok(matrix)
}
