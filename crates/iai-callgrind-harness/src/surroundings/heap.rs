//! Gives each benchmark of a walk the same heap, that of the fork server before the walk.
//!
//! The C library keeps freed blocks, and a request takes another path, and finds another address, when there is one of
//! its size. So the instructions of a benchmark that allocates would depend on the code before it. The blocks that the
//! walk has freed are taken away. The blocks that the C library kept before the walk are freed again, and what is left
//! at the end of the heap is as large, and begins at the same offset of a page, as then.

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

/// Maximum number of requests for blocks of a kind. After so many, the heap is not as expected and stays as it is.
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
    /// Blocks that the C library had kept, by size.
    blocks: [[*mut c_void; BLOCKS]; SIZES],
    end: End,
}

/// The free part at the end of the heap, from which new blocks are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct End {
    start: usize,
    length: usize,
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
        let blocks = [[ptr::null_mut(); BLOCKS]; SIZES];
        let mut heap = Self { information, blocks, end: End { start: 0, length: 0 } };
        heap.end = heap.current_end();
        let mut blocks = heap.blocks;
        heap.take(&mut |size, number, block| {
            if let Some(place) = blocks[size].get_mut(number) {
                *place = block;
            }
        })
        .then_some(Self { blocks, ..heap })
    }

    /// Leaves free blocks between others, as a walk does, so that a rehearsal takes them away.
    pub(crate) fn leave_free_blocks() {
        let blocks = [SMALLEST, LARGEST / 2, SMALLEST + UNIT * SIZES].map(|it| [it, SMALLEST]);
        let blocks = blocks.map(|lengths| lengths.map(request));
        // SAFETY: the blocks have no other owner.
        blocks.iter().for_each(|[block, _]| unsafe { libc::free(*block) });
    }

    /// Makes the heap as it was before the walk, apart from blocks in use.
    pub(crate) fn restore(&self) {
        if !self.take(&mut |_, _, _| {}) {
            return;
        }
        self.restore_end();
        // The last block that is freed is the first one to be used
        for block in self.blocks.iter().flat_map(|blocks| blocks.iter().rev()) {
            // SAFETY: a block of this heap that has no other owner, or null.
            unsafe { libc::free(*block) };
        }
    }

    /// Takes all free blocks away except for the end of the heap, and passes the small ones on with the index of their
    /// size and their number in it. Returns `false` if the heap is not as expected.
    fn take(&self, taken: &mut dyn FnMut(usize, usize, *mut c_void)) -> bool {
        self.take_large();
        // The end can grow, and stays where it is
        let mut end = self.current_end().start;
        for size in 0..SIZES {
            let length = SMALLEST + UNIT * size;
            for number in 0..=REQUESTS {
                let block = request(length);
                if block.addr() == end + HEADER {
                    end += length;
                    break;
                }
                if number == REQUESTS || block.is_null() {
                    return false;
                }
                taken(size, number, block);
            }
        }
        // The C library finds out now which of its lists have become empty
        !request(SMALLEST).is_null()
    }

    /// Takes away the free blocks that are larger than the others. No request makes the heap grow.
    fn take_large(&self) {
        if self.current_end().length < LARGEST {
            self.grow();
        }
        let mut length = LARGEST;
        for _ in 0..REQUESTS {
            // SAFETY: the function has no requirements.
            let Information { small, free, end, .. } = unsafe { (self.information)() };
            length = length.min(free.saturating_sub(end + small) / UNIT * UNIT);
            if length <= SMALLEST + UNIT * SIZES {
                return;
            }
            let end = self.current_end().start;
            let block = request(length);
            if block.addr() == end + HEADER {
                // It becomes a part of the end again. SAFETY: it has no other owner.
                unsafe { libc::free(block) };
                length = length / 2 / UNIT * UNIT;
            }
        }
    }

    /// Makes the end of the heap as long as before the walk.
    fn restore_end(&self) {
        let wanted = self.end;
        for _ in 0..2 {
            let now = self.current_end();
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
                None => self.grow(),
            }
        }
    }

    /// Makes the end of the heap longer than a new one.
    fn grow(&self) {
        let length = self.current_end().length;
        // The C library asks the system for more than this. SAFETY: the block has no other owner.
        unsafe { libc::free(request(length + PAGE)) };
    }

    /// Returns the end of the heap.
    fn current_end(&self) -> End {
        // SAFETY: neither function has requirements.
        let (length, end) = unsafe { ((self.information)().end, libc::sbrk(0)) };
        End { start: end.addr().wrapping_sub(length), length }
    }
}

/// Requests the memory of a block with this length. The compiler must not leave the request out.
fn request(length: usize) -> *mut c_void {
    // SAFETY: always allowed.
    black_box(unsafe { libc::malloc(length - OVERHEAD) })
}
