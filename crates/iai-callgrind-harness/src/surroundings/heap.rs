//! Gives each benchmark of a walk the same heap, that of the fork server before the walk.
//!
//! The C library keeps freed blocks. A request of such a size takes another path and gets another address, so the
//! instructions of a benchmark that allocates would depend on the code before it. Before each benchmark, the blocks that
//! the walk has freed are taken away, and those that the C library kept before the walk are freed again. The rest at the
//! end of the heap then has the same size and the same offset in a page as before the walk.

use std::ffi::c_void;
use std::hint::black_box;
use std::mem;
use std::ptr;

/// Number of the sizes of which the C library keeps blocks for a thread.
const SIZES: usize = 64;

/// Number of the blocks that it keeps of a size.
const BLOCKS: usize = 7;

/// Sizes of blocks are multiples of this.
const UNIT: usize = 16;

/// Size of the smallest block.
const SMALLEST: usize = 32;

/// Size of the block that is requested at once at most. The system maps still larger ones.
const LARGEST: usize = 96 * 1024;

/// Distance of the memory of a block from its start, which has the size of the previous one too.
const HEADER: usize = 16;

/// Part of a block that a request can't use.
const OVERHEAD: usize = 8;

/// Size of a page.
const PAGE: usize = 4096;

/// Maximum number of requests for blocks of a kind. After that, the heap is not as expected and stays as it is.
const REQUESTS: usize = 4096;

/// The struct `mallinfo2` of the C library.
#[repr(C)]
#[derive(Clone, Copy)]
struct Information {
    others: [usize; 6],
    /// Free bytes in small blocks.
    small: usize,
    used: usize,
    /// Free bytes.
    free: usize,
    /// Free bytes at the end of the heap.
    end: usize,
}

/// The heap before the walk.
pub(crate) struct Heap {
    information: unsafe extern "C" fn() -> Information,
    /// Blocks that the C library had kept, in the order in which they are freed again.
    blocks: [*mut c_void; SIZES * BLOCKS],
    /// Number of them.
    number: usize,
    end: End,
}

/// The free part at the end of the heap, from which new blocks are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    start: usize,
    length: usize,
}

impl End {
    /// Requests a block with this length, and takes it off if it is from here.
    fn request(&mut self, length: usize) -> (*mut c_void, Source) {
        let block = request(length);
        if block.addr() != self.start + HEADER {
            return (block, Source::Kept);
        }
        self.start += length;
        self.length = self.length.saturating_sub(length);
        (block, Source::End)
    }
}

/// Source of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// The end of the heap.
    End,
    /// The blocks that the C library keeps.
    Kept,
}

impl Heap {
    /// Takes the free blocks away. `None` if the C library does not have its own heap or can't describe it.
    pub(crate) fn empty() -> Option<Self> {
        // SAFETY: a name that ends with a zero byte.
        let information = unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"mallinfo2".as_ptr()) };
        if information.is_null() {
            return None;
        }
        // SAFETY: the function has this type.
        let information = unsafe {
            mem::transmute::<*mut c_void, unsafe extern "C" fn() -> Information>(information)
        };
        let blocks = [ptr::null_mut(); SIZES * BLOCKS];
        let mut heap = Self { information, blocks, number: 0, end: End { start: 0, length: 0 } };
        (_, heap.end) = heap.current();
        let mut kept = [[ptr::null_mut(); BLOCKS]; SIZES];
        heap.take(&mut |size, number, block| {
            if let Some(place) = kept[size].get_mut(number) {
                *place = block;
            }
        })?;
        // The last block that is freed is the first one to be used
        let blocks = kept.iter().flat_map(|blocks| blocks.iter().rev());
        for block in blocks.filter(|block| !block.is_null()) {
            heap.blocks[heap.number] = *block;
            heap.number += 1;
        }
        Some(heap)
    }

    /// Leaves free blocks between others, as a walk does, so that a rehearsal takes them away.
    pub(crate) fn leave_free_blocks() {
        let blocks = [SMALLEST, LARGEST / 2, SMALLEST + UNIT * SIZES].map(|it| [it, SMALLEST]);
        let blocks = blocks.map(|lengths| lengths.map(request));
        // SAFETY: the blocks have no other owner.
        blocks.iter().for_each(|[block, _]| unsafe { libc::free(*block) });
    }

    /// Restores the heap as it was before the walk, apart from blocks in use. Each child does so. The C library
    /// describes the heap at most once, because that reads all of its lists.
    pub(crate) fn restore(&self) {
        let Some(end) = self.take(&mut |_, _, _| {}) else { return };
        self.restore_end(end);
        for block in &self.blocks[..self.number] {
            // SAFETY: a block of this heap that has no other owner.
            unsafe { libc::free(*block) };
        }
    }

    /// Takes all free blocks away except for the end of the heap, which is returned. Passes the small ones on with the index of
    /// their size and their number in it. `None` if the heap is not as expected.
    fn take(&self, taken: &mut dyn FnMut(usize, usize, *mut c_void)) -> Option<End> {
        // The end is long enough for all sizes, and does not grow
        let mut end = self.take_large();
        for size in 0..SIZES {
            for number in 0..=REQUESTS {
                let (block, source) = end.request(SMALLEST + UNIT * size);
                if source == Source::End {
                    break;
                }
                if number == REQUESTS || block.is_null() {
                    return None;
                }
                taken(size, number, block);
            }
        }
        // The C library finds out now which of its lists have become empty
        let (block, _) = end.request(SMALLEST);
        (!block.is_null()).then_some(end)
    }

    /// Takes away the free blocks that are larger than the others. Returns the end of the heap, which has space for the largest.
    fn take_large(&self) -> End {
        let mut length = LARGEST;
        let (mut information, mut end) = self.current();
        if end.length < LARGEST {
            grow(end);
            (information, end) = self.current();
        }
        for _ in 0..REQUESTS {
            let Information { small, free, end: at_end, .. } = information;
            length = length.min(free.saturating_sub(at_end + small) / UNIT * UNIT);
            if length <= SMALLEST + UNIT * SIZES {
                break;
            }
            let block = request(length);
            if block.addr() == end.start + HEADER {
                // It becomes a part of the end again. SAFETY: it has no other owner.
                unsafe { libc::free(block) };
                length = length / 2 / UNIT * UNIT;
            }
            (information, end) = self.current();
        }
        end
    }

    /// Makes the end of the heap, which is `now`, as long as before the walk.
    fn restore_end(&self, mut now: End) {
        let wanted = self.end;
        for _ in 0..2 {
            let offset = wanted.start.wrapping_sub(now.start) % PAGE;
            let surplus =
                now.length.checked_sub(wanted.length).map(|more| more / PAGE * PAGE + offset);
            // The smallest block is larger than the unit
            let surplus = surplus.map(|more| if more == UNIT { more + PAGE } else { more });
            match surplus.filter(|surplus| now.length >= wanted.length + surplus) {
                Some(0) => return,
                Some(surplus) => {
                    request(surplus);
                    return;
                }
                None => grow(now),
            }
            (_, now) = self.current();
        }
    }

    /// Returns the C library's description of the heap, and the end of the heap.
    fn current(&self) -> (Information, End) {
        // SAFETY: neither function has requirements.
        let (information, end) = unsafe { ((self.information)(), libc::sbrk(0)) };
        let length = information.end;
        (information, End { start: end.addr().wrapping_sub(length), length })
    }
}

/// Makes the end of the heap longer than it is.
fn grow(end: End) {
    // The C library asks the system for more than this. SAFETY: the block has no other owner.
    unsafe { libc::free(request(end.length + PAGE)) };
}

/// Requests the memory of a block with this length. The compiler must not leave the request out.
fn request(length: usize) -> *mut c_void {
    // SAFETY: always allowed.
    black_box(unsafe { libc::malloc(length - OVERHEAD) })
}
