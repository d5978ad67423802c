//! Memory that the process has taken from the system and does not use.

#[cfg(target_env = "gnu")]
mod glibc {
    use std::ffi::c_int;

    unsafe extern "C" {
        pub fn malloc_trim(pad: usize) -> c_int;
        pub fn mallopt(option: c_int, value: c_int) -> c_int;
    }
    pub const M_ARENA_MAX: c_int = -8;
}

/// Returns memory that malloc keeps, in each thread's arena, to the system.
pub fn return_unused_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes no pointers, and locks each arena.
    unsafe {
        glibc::malloc_trim(0)
    };
}

/// Makes all threads allocate from one arena. Otherwise each has its own, and how full their pages
/// stay depends on which thread allocates when. It has to be called before there are threads.
pub fn allocate_in_one_arena() {
    #[cfg(target_env = "gnu")]
    // SAFETY: it takes no pointers.
    unsafe {
        glibc::mallopt(glibc::M_ARENA_MAX, 1)
    };
}
