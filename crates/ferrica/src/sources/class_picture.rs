//! Diagrams and icons of classes from their graphical annotations.

use ferrica_draw::{Theme, paint, print};
use ferrica_ir::Symbol;

use crate::error::{Error, ErrorKind};
use crate::failure::Failure;
use crate::model::Model;
use crate::stages::pipeline::Loaded;

/// For which pages a picture is made.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Modelica.Blocks.Sources.Sine s(f = 1); Modelica.Blocks.Continuous.Integrator i; equation connect(s.y, i.u); end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// use ferrica::sources::class_picture::{Page, diagram};
/// let (light, dark) = (diagram(&loaded, "", Page::Light)?, diagram(&loaded, "", Page::Dark)?);
/// assert_ne!(light.svg(), dark.svg());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// As the reader's machine prefers; a PNG is light.
    #[default]
    Both,
    Light,
    Dark,
}

impl From<Page> for Theme {
    fn from(page: Page) -> Theme {
        match page {
            Page::Both => Theme::Both,
            Page::Light => Theme::Light,
            Page::Dark => Theme::Dark,
        }
    }
}

/// A picture that can be written as SVG or PNG.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Modelica.Blocks.Sources.Sine s(f = 1); Modelica.Blocks.Continuous.Integrator i; equation connect(s.y, i.u); end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// use ferrica::sources::class_picture::{ClassPicture, Page, diagram};
/// let picture: ClassPicture = diagram(&loaded, "s", Page::default())?;
/// assert!(picture.svg().starts_with("<svg"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub struct ClassPicture(ferrica_diagram::Drawing);

impl ClassPicture {
    /// As SVG.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Modelica.Blocks.Sources.Sine s(f = 1); Modelica.Blocks.Continuous.Integrator i; equation connect(s.y, i.u); end M;".to_owned()), ..Default::default() };
    /// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
    /// let picture = ferrica::sources::class_picture::diagram(&loaded, "", Default::default())?;
    /// assert!(picture.svg().starts_with("<svg"));
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn svg(&self) -> String {
        print(&self.0.scene)
    }

    /// As PNG.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M Modelica.Blocks.Sources.Sine s(f = 1); Modelica.Blocks.Continuous.Integrator i; equation connect(s.y, i.u); end M;".to_owned()), ..Default::default() };
    /// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
    /// let picture = ferrica::sources::class_picture::diagram(&loaded, "", Default::default())?;
    /// assert!(picture.png()?.starts_with(b"\x89PNG"));
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn png(&self) -> Result<Vec<u8>, Failure> {
        paint(&self.0.scene).map_err(Failure::Io)
    }

    /// Images that could not be read.
    ///
    /// ```
    /// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
    /// # let (mut log, mut stats) = (Log::default(), Stats::default());
    /// let options = ModelOptions { text: Some("model M annotation(Icon(graphics={Bitmap(extent={{0,0},{1,1}}, fileName=\"nowhere.png\")})); end M;".to_owned()), ..Default::default() };
    /// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
    /// let icon = ferrica::sources::class_picture::icon(&loaded, Default::default())?;
    /// assert_eq!(icon.missing_images().len(), 1);
    /// # Ok::<(), ferrica::failure::Failure>(())
    /// ```
    pub fn missing_images(&self) -> &[String] {
        &self.0.missing_images
    }
}

/// The diagram of a class, or of the component of it that a path leads to.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M Modelica.Blocks.Sources.Sine s(f = 1); Modelica.Blocks.Continuous.Integrator i; equation connect(s.y, i.u); end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// use ferrica::sources::class_picture::diagram;
/// assert!(diagram(&loaded, "i", Default::default()).is_ok() && diagram(&loaded, "j", Default::default()).is_err());
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn diagram(loaded: &Loaded, component: &str, page: Page) -> Result<ClassPicture, Failure> {
    let path: Vec<Symbol> = component
        .split('.')
        .filter(|p| !p.is_empty())
        .map(Symbol::intern)
        .collect();
    let drawn = ferrica_diagram::diagram(&loaded.library, loaded.class, &path, page.into());
    let missing = || {
        let text = format!("`{}` has no component `{component}`", loaded.name);
        Failure::usage(text)
    };
    drawn.map(ClassPicture).ok_or_else(missing)
}

/// The icon of a class.
///
/// ```
/// # use ferrica::{options::ModelOptions, stages::{pipeline, report::Log, stats::Stats}};
/// # let (mut log, mut stats) = (Log::default(), Stats::default());
/// let options = ModelOptions { text: Some("model M annotation(Icon(graphics={Ellipse(extent={{-1,-1},{1,1}})})); end M;".to_owned()), ..Default::default() };
/// let loaded = pipeline::load(&options, &mut log, &mut stats)?;
/// let icon = ferrica::sources::class_picture::icon(&loaded, Default::default())?;
/// assert!(icon.svg().starts_with("<svg"));
/// # Ok::<(), ferrica::failure::Failure>(())
/// ```
pub fn icon(loaded: &Loaded, page: Page) -> Result<ClassPicture, Failure> {
    let drawn = ferrica_diagram::icon(&loaded.library, loaded.class, page.into());
    let missing = || Failure::usage(format!("`{}` has no icon", loaded.name));
    drawn.map(ClassPicture).ok_or_else(missing)
}

impl Model {
    /// The diagram of the model as SVG text: components and connections, with places for those that have none.
    ///
    /// ```
    /// # use ferrica::*;
    /// let model = Model::from_text("model M Modelica.Blocks.Sources.Sine s(f = 1); Modelica.Blocks.Continuous.Integrator i;
    ///   equation connect(s.y, i.u); end M;")?;
    /// assert!(model.diagram()?.starts_with("<svg"));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn diagram(&self) -> Result<String, Error> {
        let drawn = diagram(self.loaded(), "", Page::Both);
        let drawn = drawn.map_err(|e| Error::new(ErrorKind::Model, &e, self.sources()))?;
        Ok(drawn.svg())
    }
}
