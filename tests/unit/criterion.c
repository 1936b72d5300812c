/* Criterion starts libgit2 in the process of each test, which reads all
 * certificates of the system: more work than most tests do. Criterion needs
 * libgit2 only for the difference that a failed eq() prints, and no test uses
 * eq(). The functions of the program come before those of a library. */
int git_libgit2_init(void);
int git_libgit2_shutdown(void);
int git_diff_buffers(void);

int git_libgit2_init(void)
{
    return 1;
}

int git_libgit2_shutdown(void)
{
    return 0;
}

int git_diff_buffers(void)
{
    return -1;
}
