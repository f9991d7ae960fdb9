// The `main` of `libbenchmark_main`, which calls the code of the file's headers.
int iai_callgrind_main(int argc, char** argv);

int main(int argc, char** argv) { return iai_callgrind_main(argc, argv); }
