/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/conf/kind.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ptpmon/base/nsec.h"
#include "ptpmon/base/strbuf.h"
#include "ptpmon/conf/conf.h"

#define WRONG(why, ...) (snprintf(why, KIND_ERROR_MAX, __VA_ARGS__), -EINVAL)

/* Numbers and durations */

static int parse_int64(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno || end == text || *end ? -EINVAL : 0;
}

static int check_bounds(const struct config_row *row, int64_t value,
			int (*parse)(const char *, int64_t *), char *why)
{
	int64_t bound;

	if (row->min && parse(row->min, &bound) == 0 && value < bound)
		return WRONG(why, "less than the least, %s", row->min);
	if (row->max && parse(row->max, &bound) == 0 && value > bound)
		return WRONG(why, "more than the most, %s", row->max);
	return 0;
}

static int parse_number(const struct config_row *row, const char *text, void *member, char *why)
{
	int64_t value;

	if (parse_int64(text, &value) < 0)
		return WRONG(why, "'%s' is not a whole number", text);
	if (check_bounds(row, value, parse_int64, why) < 0)
		return -EINVAL;
	*(int64_t *)member = value;
	return 0;
}

static void format_number(const struct config_row *row, const void *member, struct strbuf *out)
{
	strbuf_addf(out, "%" PRId64, *(const int64_t *)member);
}

#define AUTO INT64_MIN

_Static_assert(AUTO == UTC_OFFSET_AUTO && AUTO == CLOCK_CLASS_AUTO, "auto is read for both");

static int parse_auto_number(const struct config_row *row, const char *text, void *member,
			     char *why)
{
	int64_t value;

	if (strcasecmp(text, "auto") != 0)
		return parse_int64(text, &value) < 0
			       ? WRONG(why, "'%s' is neither a whole number nor auto", text)
			       : parse_number(row, text, member, why);
	*(int64_t *)member = AUTO;
	return 0;
}

static void format_auto_number(const struct config_row *row, const void *member, struct strbuf *out)
{
	if (*(const int64_t *)member == AUTO)
		strbuf_add(out, "auto");
	else
		format_number(row, member, out);
}

static int parse_duration(const struct config_row *row, const char *text, void *member, char *why)
{
	int64_t value;

	if (nsec_parse_duration(text, &value) < 0)
		return WRONG(why, "'%s' is not a duration with its unit, such as %s", text,
			     row->fallback);
	if (check_bounds(row, value, nsec_parse_duration, why) < 0)
		return -EINVAL;
	*(int64_t *)member = value;
	return 0;
}

static void format_duration(const struct config_row *row, const void *member, struct strbuf *out)
{
	char text[NSEC_TEXT_MAX];

	strbuf_add(out, nsec_format_duration(*(const int64_t *)member, text));
}

/* Sizes */

static const struct {
	const char *unit;
	int shift;
} size_units[] = {{"TiB", 40}, {"GiB", 30}, {"MiB", 20}, {"KiB", 10}};

enum { N_SIZE_UNITS = sizeof(size_units) / sizeof(size_units[0]) };

static int parse_octets(const char *text, int64_t *out)
{
	int64_t value;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (errno || end == text || value < 0)
		return -EINVAL;
	if (value == 0 && !*end) {
		*out = 0;
		return 0;
	}
	end += *end == ' ';
	for (size_t i = 0; i < N_SIZE_UNITS; i++)
		if (strcmp(end, size_units[i].unit) == 0 &&
		    value <= INT64_MAX >> size_units[i].shift) {
			*out = value << size_units[i].shift;
			return 0;
		}
	return -EINVAL;
}

static int parse_size(const struct config_row *row, const char *text, void *member, char *why)
{
	int64_t value;

	if (parse_octets(text, &value) < 0)
		return WRONG(why, "'%s' is not a size with its unit, such as %s", text,
			     row->fallback);
	if (value != 0 && check_bounds(row, value, parse_octets, why) < 0)
		return -EINVAL;
	*(int64_t *)member = value;
	return 0;
}

static void format_size(const struct config_row *row, const void *member, struct strbuf *out)
{
	int64_t value = *(const int64_t *)member;
	size_t i = 0;

	while (i < N_SIZE_UNITS - 1 && value % (INT64_C(1) << size_units[i].shift) != 0)
		i++;
	if (value == 0)
		strbuf_add(out, "0");
	else
		strbuf_addf(out, "%" PRId64 " %s", value >> size_units[i].shift,
			    size_units[i].unit);
}

/* Words */

struct word {
	const char *text;
	int value;
};

static int find_word(const struct word *words, const char *text, int *out, char *why)
{
	size_t at = 0;
	const struct word *w;

	for (w = words; w->text; w++) {
		if (strcasecmp(w->text, text) == 0) {
			*out = w->value;
			return 0;
		}
	}
	at = (size_t)snprintf(why, KIND_ERROR_MAX, "'%.40s' is none of", text);
	for (w = words; w->text && at < KIND_ERROR_MAX; w++)
		at += (size_t)snprintf(why + at, KIND_ERROR_MAX - at, "%s %s",
				       w == words ? "" : ",", w->text);
	return -EINVAL;
}

/* The first word of a value is the one that is written. */
static const char *word_of(const struct word *words, int value)
{
	while (words->text && words->value != value)
		words++;
	return words->text;
}

static const struct word bools[] = {
	{"yes", 1}, {"no", 0}, {"true", 1}, {"false", 0}, {"on", 1}, {"off", 0}, {NULL, 0},
};

static int parse_bool(const struct config_row *row, const char *text, void *member, char *why)
{
	int value;

	if (find_word(bools, text, &value, why) < 0)
		return -EINVAL;
	*(bool *)member = value;
	return 0;
}

static void format_bool(const struct config_row *row, const void *member, struct strbuf *out)
{
	strbuf_add(out, word_of(bools, *(const bool *)member));
}

#define WORD_KIND(NAME, TYPE)                                                                      \
	static int parse_##NAME(const struct config_row *row, const char *text, void *member,      \
				char *why)                                                         \
	{                                                                                          \
		int value;                                                                         \
                                                                                                   \
		if (find_word(NAME##_words, text, &value, why) < 0)                                \
			return -EINVAL;                                                            \
		*(TYPE *)member = (TYPE)value;                                                     \
		return 0;                                                                          \
	}                                                                                          \
	static void format_##NAME(const struct config_row *row, const void *member,                \
				  struct strbuf *out)                                              \
	{                                                                                          \
		strbuf_add(out, NAME##_name(*(const TYPE *)member));                               \
	}                                                                                          \
	const char *NAME##_name(TYPE value)                                                        \
	{                                                                                          \
		return word_of(NAME##_words, (int)value);                                          \
	}                                                                                          \
	const struct kind kind_##NAME = {"word", parse_##NAME, format_##NAME}

/* clang-format off */
static const struct word role_words[] = {
	{ "grandmaster", ROLE_GRANDMASTER }, { "slave", ROLE_SLAVE },
	{ "boundary", ROLE_BOUNDARY }, { "auto", ROLE_AUTO }, { "monitor", ROLE_MONITOR },
	{ "master", ROLE_GRANDMASTER }, { "time transmitter", ROLE_GRANDMASTER },
	{ "time receiver", ROLE_SLAVE }, { NULL, 0 },
};
static const struct word profile_words[] = {
	{ "default", PROFILE_DEFAULT }, { "gptp", PROFILE_GPTP }, { "802.1AS", PROFILE_GPTP }, { NULL, 0 },
};
static const struct word timestamping_words[] = {
	{ "hardware", TIMESTAMPING_HARDWARE }, { "software", TIMESTAMPING_SOFTWARE },
	{ "onestep", TIMESTAMPING_ONESTEP }, { "p2p1step", TIMESTAMPING_P2P1STEP }, { NULL, 0 },
};
static const struct word transport_words[] = {
	{ "L2", TRANSPORT_L2 }, { "UDPv4", TRANSPORT_UDPV4 }, { "UDPv6", TRANSPORT_UDPV6 }, { NULL, 0 },
};
static const struct word on_refusal_words[] = {
	{ "warn", ON_REFUSAL_WARN }, { "fail", ON_REFUSAL_FAIL }, { NULL, 0 },
};
static const struct word on_useless_words[] = {
	{ "restart", ON_USELESS_RESTART }, { "warn", ON_USELESS_WARN }, { NULL, 0 },
};
static const struct word on_rivals_words[] = {
	{ "warn", RIVALS_WARN }, { "refuse", RIVALS_REFUSE }, { "ignore", RIVALS_IGNORE }, { NULL, 0 },
};
static const struct word on_loss_words[] = {
	{ "stop", ON_LOSS_STOP }, { "hold", ON_LOSS_HOLD }, { NULL, 0 },
};
static const struct word config_when_words[] = {
	{ "auto", WHEN_AUTO }, { "yes", WHEN_YES }, { "no", WHEN_NO }, { NULL, 0 },
};
static const struct word idle_states_words[] = {
	{ "allow", IDLE_STATES_ALLOW }, { "hold", IDLE_STATES_HOLD }, { NULL, 0 },
};
static const struct word feed_words[] = {
	{ "none", FEED_NONE }, { "once", FEED_ONCE }, { "follow", FEED_FOLLOW }, { NULL, 0 },
};
static const struct word epoch_words[] = {
	{ "guarded", EPOCH_GUARDED }, { "arbitrary", EPOCH_ARBITRARY }, { NULL, 0 },
};
/* clang-format on */

WORD_KIND(role, enum role);
WORD_KIND(profile, enum profile);
WORD_KIND(timestamping, enum timestamping);
WORD_KIND(transport, enum transport);
WORD_KIND(on_refusal, enum on_refusal);
WORD_KIND(on_useless, enum on_useless);
WORD_KIND(on_rivals, enum on_rivals);
WORD_KIND(on_loss, enum on_loss);
WORD_KIND(config_when, enum config_when);
WORD_KIND(idle_states, enum idle_states);
WORD_KIND(feed, enum feed);
WORD_KIND(epoch, enum epoch);

/* Text and paths */

static int parse_text(const struct config_row *row, const char *text, void *member, char *why)
{
	if (strlen(text) >= row->size)
		return WRONG(why, "longer than %zu characters", row->size - 1);
	for (const char *c = text; *c; c++)
		if (iscntrl((unsigned char)*c) && *c != '\t')
			return WRONG(why, "has a control character in it");
	(void)strcpy(member, text);
	return 0;
}

/* What phc2sys steers by what, and when, is decided here; and none of it waits for a ptp4l. */
static bool takes_over(const char *word)
{
	static const char flags[] = "armqwxhv"; /* without a value, so that more can follow */

	if (*word++ != '-')
		return false;
	for (; *word && strchr(flags, *word); word++)
		if (*word == 'a' || *word == 'w')
			return true;
	return *word && strchr("scOd", *word);
}

/* What is wrong with a word of an argument list, in why and as -EINVAL; or 0. */
typedef int word_fn(const char *word, char *why);

static int parse_arguments(const struct config_row *row, const char *text, void *member, char *why,
			   word_fn *check)
{
	char copy[CONFIG_ARGUMENTS_MAX];
	char *rest = NULL;
	int r = parse_text(row, text, member, why);

	(void)snprintf(copy, sizeof(copy), "%s", text);
	for (char *word = strtok_r(copy, " \t", &rest); word && r == 0;
	     word = strtok_r(NULL, " \t", &rest))
		r = check(word, why);
	return r;
}

static int check_phc2sys_word(const char *word, char *why)
{
	return takes_over(word)
		       ? WRONG(why, "'%s': ptpmon decides what phc2sys steers, and when", word)
		       : 0;
}

static int parse_phc2sys_arguments(const struct config_row *row, const char *text, void *member,
				   char *why)
{
	return parse_arguments(row, text, member, why, check_phc2sys_word);
}

/* Without them ptpmon would launch one ptp4l and ask for another. */
static const struct {
	const char *option, *instead;
} not_for_ptp4l[] = {
	{"-i", "say it as interfaces"},
	{"-f", "say it as config_file"},
	{"-h", "with it ptp4l only prints, and ends"},
	{"-v", "with it ptp4l only prints, and ends"},
	{"--uds_address", "ptpmon decides where that socket is"},
	{"--domainNumber", "say it as domain, or in config_file"},
	{"--transportSpecific", "say it as transport_specific, or in config_file"},
};

/* "-mqi": the letters that take no value may come before; getopt_long() takes "--domain=1", too. */
static bool is_option(const char *word, const char *option)
{
	size_t len = strcspn(word, "=");

	if (option[1] == '-')
		return len > 2 && strncmp(word, option, len) == 0;
	return *word == '-' && word[1 + strspn(word + 1, "AEP246HSLsmq")] == option[1];
}

static int check_ptp4l_word(const char *word, char *why)
{
	for (size_t i = 0; i < sizeof(not_for_ptp4l) / sizeof(not_for_ptp4l[0]); i++)
		if (is_option(word, not_for_ptp4l[i].option))
			return WRONG(why, "'%.100s': %s", word, not_for_ptp4l[i].instead);
	return 0;
}

static int parse_ptp4l_arguments(const struct config_row *row, const char *text, void *member,
				 char *why)
{
	return parse_arguments(row, text, member, why, check_ptp4l_word);
}

static int parse_phc(const struct config_row *row, const char *text, void *member, char *why)
{
	if (strcmp(text, "auto") != 0 && strcmp(text, "none") != 0 && *text != '/')
		return WRONG(why, "'%s' is neither auto, nor none, nor the path of a device", text);
	return parse_text(row, text, member, why);
}

static void format_text(const struct config_row *row, const void *member, struct strbuf *out)
{
	strbuf_add(out, member);
}

static int parse_path(const struct config_row *row, const char *text, void *member, char *why)
{
	if (*text && *text != '/')
		return WRONG(why, "'%.100s' is not an absolute path", text);
	return parse_text(row, text, member, why);
}

/* Lists */

/* Cuts the next word off *rest at blanks and commas; NULL at the end. */
static char *next_word(char **rest)
{
	char *word;

	do
		word = strsep(rest, " \t,");
	while (word && !*word);
	return word;
}

/* The kernel takes no blanks and slashes; control characters would only confuse. */
static bool is_interface_name(const char *word)
{
	for (const char *c = word; *c; c++)
		if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c) || *c == '/')
			return false;
	return strlen(word) < IF_NAMESIZE && *word != '-' && strcmp(word, ".") != 0 &&
	       strcmp(word, "..") != 0;
}

static int parse_interfaces(const struct config_row *row, const char *text, void *member, char *why)
{
	struct interface_list list = {0};
	char copy[CONFIG_INTERFACES_MAX * (IF_NAMESIZE + 2)];
	char *rest = copy;

	if (snprintf(copy, sizeof(copy), "%s", text) >= (int)sizeof(copy))
		return WRONG(why, "more than %d interfaces", CONFIG_INTERFACES_MAX);
	for (char *word = next_word(&rest); word; word = next_word(&rest)) {
		if (!is_interface_name(word))
			return WRONG(why, "'%.40s' cannot be the name of an interface", word);
		if (list.n == CONFIG_INTERFACES_MAX)
			return WRONG(why, "more than %d interfaces", CONFIG_INTERFACES_MAX);
		for (size_t i = 0; i < list.n; i++)
			if (strcmp(list.name[i], word) == 0)
				return WRONG(why, "%s is named twice", word);
		(void)strcpy(list.name[list.n++], word);
	}
	if (list.n == 0)
		return WRONG(why, "names no interface");
	*(struct interface_list *)member = list;
	return 0;
}

static void format_interfaces(const struct config_row *row, const void *member, struct strbuf *out)
{
	const struct interface_list *list = member;

	for (size_t i = 0; i < list->n; i++)
		strbuf_addf(out, "%s%s", i ? " " : "", list->name[i]);
}

static const struct word cpu_words[] = {
	{"all", CPUS_ALL},
	{"not-isolated", CPUS_NOT_ISOLATED},
	{"isolated", CPUS_ISOLATED},
	{NULL, 0},
};

static int parse_cpus(const struct config_row *row, const char *text, void *member, char *why)
{
	struct cpu_choice choice = {0};
	int kind;

	if (find_word(cpu_words, text, &kind, why) == 0) {
		choice.kind = (__typeof__(choice.kind))kind;
	} else {
		choice.kind = CPUS_LISTED;
		if (cpulist_parse(text, &choice.list) < 0)
			return WRONG(why,
				     "'%.40s' is neither a list such as 0-3,5 nor one of all, "
				     "not-isolated, isolated",
				     text);
	}
	*(struct cpu_choice *)member = choice;
	return 0;
}

static void format_cpus(const struct config_row *row, const void *member, struct strbuf *out)
{
	const struct cpu_choice *choice = member;
	char text[CPULIST_TEXT_MAX];

	if (choice->kind == CPUS_LISTED)
		strbuf_add(out, cpulist_format(&choice->list, text));
	else
		strbuf_add(out, word_of(cpu_words, (int)choice->kind));
}

const struct kind kind_number = {"number", parse_number, format_number};
const struct kind kind_auto_number = {"number or auto", parse_auto_number, format_auto_number};
const struct kind kind_duration = {"duration", parse_duration, format_duration};
const struct kind kind_size = {"size", parse_size, format_size};
const struct kind kind_bool = {"yes or no", parse_bool, format_bool};
const struct kind kind_text = {"text", parse_text, format_text};
const struct kind kind_phc = {"device, auto or none", parse_phc, format_text};
const struct kind kind_ptp4l_arguments = {"text", parse_ptp4l_arguments, format_text};
const struct kind kind_phc2sys_arguments = {"text", parse_phc2sys_arguments, format_text};
const struct kind kind_path = {"path", parse_path, format_text};
const struct kind kind_interfaces = {"names", parse_interfaces, format_interfaces};
const struct kind kind_cpus = {"CPUs", parse_cpus, format_cpus};
