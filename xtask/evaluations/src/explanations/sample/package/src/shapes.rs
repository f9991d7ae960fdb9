//! Shapes behind a trait.

/// A shape on paper.
pub trait Shape {
    /// Returns the area.
    fn area(&self) -> u64;

    /// Returns the area in another unit.
    fn scaled(&self) -> u64 {
        self.area() * 100
    }
}

/// A square with its side.
pub struct Square(pub u64);

/// A triangle with its base and height.
pub struct Triangle(pub u64, pub u64);

impl Shape for Square {
    fn area(&self) -> u64 {
        self.0 * self.0
    }
}

impl Shape for Triangle {
    fn area(&self) -> u64 {
        self.0 * self.1 / 2
    }
}

/// Returns the area of all shapes.
pub fn areas(shapes: &[Box<dyn Shape>]) -> u64 {
    shapes.iter().map(|shape| shape.scaled()).sum()
}
