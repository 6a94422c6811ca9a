//! A class as a page of HTML that stands by itself: its icon, its tables, its equations and what the author wrote.

use ferrica_classes::{Library, Resource};

use super::markup::attribute;
use super::{Page, Row, sections};

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;width:100%}\
td,th{border-bottom:1px solid #ddd;padding:.25rem .6rem;text-align:left;vertical-align:top}code,pre{font-family:ui-monospace,monospace}\
pre{background:#f5f5f5;padding:.8rem;overflow:auto}.icon{float:right;width:160px;margin:0 0 1rem 1rem}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#242424}td,th{border-color:#444}a{color:#7bf}}";

/// `icon`: the text of an SVG picture.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model Tank \"Filled\" parameter Real k = 2 \"Outlet\"; output Real h; equation der(h) = 1 - k*h; annotation(Documentation(info=\"<p>See <b>me</b></p>\")); end Tank;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// use ferrica::sources::documentation::{page, to_html};
/// let html = to_html(&page(&loaded.library, loaded.class), None, &loaded.library);
/// assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<h1>Tank</h1>"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn to_html(page: &Page, icon: Option<&str>, library: &Library) -> String {
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{0}</title><style>{STYLE}</style></head><body>\n",
        escaped(&page.name)
    );
    if let Some(svg) = icon {
        let svg = svg.find("<svg").map_or(svg, |at| &svg[at..]);
        out.push_str(&format!("<div class=\"icon\">{svg}</div>\n"));
    }
    out.push_str(&format!(
        "<h1>{}</h1>\n<p><em>{}</em>",
        escaped(&page.name),
        escaped(&page.kind)
    ));
    if !page.description.is_empty() {
        out.push_str(&format!(": {}", escaped(&page.description)));
    }
    out.push_str("</p>\n");
    if !page.extends.is_empty() {
        out.push_str(&format!(
            "<p>extends <code>{}</code></p>\n",
            escaped(&page.extends.join(", "))
        ));
    }
    for (title, rows) in sections(page) {
        table(title, rows, &mut out);
    }
    if !page.equations.is_empty() {
        let text = page.equations.join("\n");
        out.push_str(&format!(
            "<h2>Equations</h2>\n<pre>{}</pre>\n",
            escaped(&text)
        ));
    }
    if let Some(info) = &page.info {
        let inner = info.replace("<html>", "").replace("</html>", "");
        out.push_str(&format!(
            "<h2>Documentation</h2>\n{}\n",
            with_links(&inner, library)
        ));
    }
    out.push_str("</body></html>\n");
    out
}

fn table(title: &str, rows: &[Row], out: &mut String) {
    let columns: [(&str, fn(&Row) -> &str); 5] = [
        ("Name", |r| &r.name),
        ("Default", |r| &r.default),
        ("Unit", |r| &r.unit),
        ("Type", |r| &r.type_name),
        ("Description", |r| &r.description),
    ];
    let shown: Vec<_> = columns
        .iter()
        .filter(|(_, cell)| rows.iter().any(|r| !cell(r).is_empty()))
        .collect();
    out.push_str(&format!("<h2>{title}</h2>\n<table><tr>"));
    for (head, _) in &shown {
        out.push_str(&format!("<th>{head}</th>"));
    }
    out.push_str("</tr>\n");
    for row in rows {
        out.push_str("<tr>");
        for (head, cell) in &shown {
            let text = escaped(cell(row));
            let plain = *head == "Description";
            out.push_str(&match plain {
                true => format!("<td>{text}</td>"),
                false => format!("<td><code>{text}</code></td>"),
            });
        }
        out.push_str("</tr>\n");
    }
    out.push_str("</table>\n");
}

/// Addresses of the library become those of files; a class becomes the page of its name.
fn with_links(html: &str, library: &Library) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(open) = rest.find('<') {
        let Some(close) = rest[open..].find('>') else {
            break;
        };
        out.push_str(&rest[..open]);
        let tag = &rest[open..=open + close];
        let link = attribute(tag, "href").or_else(|| attribute(tag, "src"));
        let target = link.as_ref().and_then(|link| target(link, library));
        out.push_str(&match (link, target) {
            (Some(link), Some(target)) => tag.replace(&link, &target),
            _ => tag.to_owned(),
        });
        rest = &rest[open + close + 1..];
    }
    out.push_str(rest);
    out
}

fn target(link: &str, library: &Library) -> Option<String> {
    let address = link.strip_prefix("modelica://")?;
    if !address.contains('/') {
        let (class, fragment) = address.split_once('#').unwrap_or((address, ""));
        let mark = if fragment.is_empty() { "" } else { "#" };
        return Some(format!("{class}.html{mark}{fragment}"));
    }
    match library.resolve_uri(link)? {
        Resource::File(path) => Some(format!("file://{}", path.display())),
        Resource::Embedded(_) => None,
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
