//! Memory that the process has taken from the system and does not use.

/// Returns memory that malloc keeps, in each thread's arena, to the system.
#[cfg(target_env = "gnu")]
pub fn return_unused_memory() {
    unsafe extern "C" {
        fn malloc_trim(pad: usize) -> std::ffi::c_int;
    }
    // SAFETY: it takes no pointers, and locks each arena.
    unsafe { malloc_trim(0) };
}

/// Other allocators have no such function.
#[cfg(not(target_env = "gnu"))]
pub fn return_unused_memory() {}
