// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * A main() for a fuzz target without its fuzzer: every file of the directories named is one input;
 * those that end in .hex are octets as text.
 */
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT_MAX = 65536 };

int LLVMFuzzerTestOneInput(const uint8_t *octets, size_t len);

static size_t read_hex(FILE *file, uint8_t *octets)
{
	unsigned int octet;
	size_t len = 0;

	while (len < INPUT_MAX && fscanf(file, "%2x", &octet) == 1)
		octets[len++] = (uint8_t)octet;
	return len;
}

static bool replay(const char *path)
{
	static uint8_t octets[INPUT_MAX];
	const char *dot = strrchr(path, '.');
	FILE *file = fopen(path, "re");
	uint8_t *exact;
	size_t len;

	if (!file) {
		perror(path);
		return false;
	}
	len = dot && strcmp(dot, ".hex") == 0 ? read_hex(file, octets)
					      : fread(octets, 1, sizeof(octets), file);
	(void)fclose(file);
	/* In memory of its own size, so that a sanitizer sees a read past the end. */
	exact = malloc(len ? len : 1);
	if (!exact)
		return false;
	memcpy(exact, octets, len);
	(void)LLVMFuzzerTestOneInput(exact, len);
	free(exact);
	return true;
}

static bool replay_directory(const char *path, size_t *n)
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	char name[4096];
	bool good = true;

	if (!dir) {
		perror(path);
		return false;
	}
	while (good && (entry = readdir(dir))) {
		if (entry->d_name[0] == '.')
			continue;
		(void)snprintf(name, sizeof(name), "%s/%s", path, entry->d_name);
		good = replay(name);
		++*n;
	}
	(void)closedir(dir);
	return good;
}

int main(int argc, char **argv)
{
	size_t n = 0;

	for (int i = 1; i < argc; i++)
		if (!replay_directory(argv[i], &n))
			return 1;
	printf("replayed %zu inputs\n", n);
	return n > 0 ? 0 : 1;
}
