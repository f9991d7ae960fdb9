//! Reads flamegraphs.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The numbers of a flamegraph.
#[derive(Debug)]
pub struct Flamegraph {
    /// Title and subtitle.
    pub titles: Vec<String>,
    /// The frames. The first one is the whole.
    pub frames: Vec<Frame>,
}

/// A frame of a flamegraph.
#[derive(Debug, Clone)]
pub struct Frame {
    /// The function.
    pub name: String,
    /// The inclusive cost.
    pub cost: u64,
    /// Red, green, blue.
    pub color: Vec<u8>,
    /// The left edge: the cost that is left of it.
    x: u64,
    /// The distance from the top of the picture.
    y: u64,
}

impl Flamegraph {
    /// Reads a flamegraph, which has to be whole.
    #[must_use]
    pub fn read(path: &Path) -> Self {
        let svg = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        assert!(svg.starts_with("<?xml") && svg.ends_with("</svg></svg>"), "{}", path.display());
        let text = |id: &str| {
            let (_, rest) = svg.split_once(&format!("<text id=\"{id}\""))?;
            let (_, rest) = rest.split_once('>')?;
            Some(unescape(rest.split_once("</text>")?.0))
        };
        let titles = ["title", "subtitle"].into_iter().filter_map(text).collect();
        let mut frames: Vec<_> = svg.split("<g><title>").skip(1).map(Frame::read).collect();
        let whole = frames.iter().position(|frame| frame.name == "all").expect("the whole");
        frames.swap(0, whole);
        Self { titles, frames }
    }

    /// Returns the cost of all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.frames[0].cost
    }

    /// Returns the cost of each function: the widths of all its frames.
    #[must_use]
    pub fn costs(&self) -> BTreeMap<&str, u64> {
        let mut costs = BTreeMap::new();
        for frame in &self.frames {
            *costs.entry(&*frame.name).or_default() += frame.cost;
        }
        costs
    }

    /// Returns true if each frame is above another one that is at least as wide.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let height = self.frames.iter().map(|frame| frame.y.abs_diff(self.frames[0].y));
        let step = height.filter(|height| *height > 0).min().unwrap_or_default();
        self.frames.iter().skip(1).all(|frame| {
            self.frames.iter().any(|below| {
                below.y.abs_diff(frame.y) == step
                    && below.y.abs_diff(self.frames[0].y) < frame.y.abs_diff(self.frames[0].y)
                    && below.x <= frame.x
                    && frame.x + frame.cost <= below.x + below.cost
            })
        })
    }
}

impl Frame {
    /// Reads `NAME (COST UNIT, PERCENT%)</title><rect ... y="Y" fill="rgb(R,G,B)" fg:x="X" fg:w="COST"/>`.
    fn read(svg: &str) -> Self {
        let (title, rest) = svg.split_once("</title>").expect("the end of the title");
        let (name, cost) = title.rsplit_once(" (").expect("a cost");
        let (rectangle, _) = rest.split_once("/>").expect("a rectangle");
        let attribute = |name: &str| {
            let (_, rest) = rectangle.split_once(&format!(" {name}=\"")).expect("the attribute");
            rest.split_once('"').expect("its end").0
        };
        let number = |name| attribute(name).parse().expect("a number");
        let color = attribute("fill").strip_prefix("rgb(").and_then(|it| it.strip_suffix(')'));
        let color = color.expect("a colour").split(',');
        let frame = Self {
            name: unescape(name),
            cost: number("fg:w"),
            color: color.map(|it| it.parse().expect("0 to 255")).collect(),
            x: number("fg:x"),
            y: number("y"),
        };
        let said = cost.split(' ').next().unwrap_or_default().replace(',', "");
        assert_eq!(said, frame.cost.to_string(), "{title}");
        frame
    }
}

fn unescape(text: &str) -> String {
    [("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"), ("&quot;", "\""), ("&amp;", "&")]
        .into_iter()
        .fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain))
}
