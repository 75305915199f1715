/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptpmon/model/timescale.h"

#include <stdlib.h>

#include "build_date.h"
#include "pmc-client/ptp_types.h"
#include "ptpmon/base/nsec.h"

#define EXPLAINED_NS (100 * NSEC_PER_MSEC)

int64_t timescale_build_utc_ns(void)
{
	return PTPMON_BUILD_UTC_S * NSEC_PER_SEC;
}

const char *utc_source_name(enum utc_source source)
{
	static const char *const names[UTC_SOURCE_MAX] = {
		[UTC_FROM_KEY] = "configuration",
		[UTC_FROM_KERNEL] = "kernel",
		[UTC_FROM_TABLE] = "leap-seconds.list",
		[UTC_FROM_EXPIRED_TABLE] = "expired leap-seconds.list",
		[UTC_FROM_BUILD] = "built in",
	};

	return names[source];
}

struct utc_offset utc_offset_choose(int64_t key_s, int64_t kernel_s, const struct leap_table *table,
				    int64_t utc_ns, int64_t build_utc_ns)
{
	int64_t utc_s = (utc_ns > build_utc_ns ? utc_ns : build_utc_ns) / NSEC_PER_SEC;
	int64_t table_s = table ? leap_table_at(table, utc_s) : 0;

	if (key_s != UTC_OFFSET_AUTO)
		return (struct utc_offset){key_s, UTC_FROM_KEY};
	if (kernel_s != 0)
		return (struct utc_offset){kernel_s, UTC_FROM_KERNEL};
	if (table_s == 0)
		return (struct utc_offset){UTC_OFFSET_BUILD, UTC_FROM_BUILD};
	return (struct utc_offset){table_s, utc_s < table->expires_utc_s ? UTC_FROM_TABLE
									 : UTC_FROM_EXPIRED_TABLE};
}

enum realtime_trust realtime_judge(const struct realtime *r, int64_t build_utc_ns, bool was_good)
{
	int64_t bound_ns = was_good ? 2 * REALTIME_GOOD_NS : REALTIME_GOOD_NS;

	if (r->utc_ns < build_utc_ns)
		return REALTIME_BEFORE_BUILD;
	if (!r->synchronised)
		return REALTIME_UNSYNCHRONISED;
	return r->maxerror_ns < bound_ns ? REALTIME_GOOD : REALTIME_UNCERTAIN;
}

const char *realtime_trust_text(enum realtime_trust trust)
{
	static const char *const texts[REALTIME_TRUST_MAX] = {
		[REALTIME_GOOD] = "known to be good",
		[REALTIME_BEFORE_BUILD] = "earlier than ptpmon was built",
		[REALTIME_UNSYNCHRONISED] = "not synchronised by anything",
		[REALTIME_UNCERTAIN] = "not known to the second",
	};

	return texts[trust];
}

enum phc_feeding phc_feeding_decide(enum feed feed, int64_t error_ns, enum realtime_trust trust)
{
	if (feed == FEED_NONE || (error_ns <= PHC_FAR_NS && error_ns >= -PHC_FAR_NS))
		return PHC_LEAVE;
	return trust == REALTIME_BEFORE_BUILD ? PHC_NO_REFERENCE : PHC_SET;
}

bool epoch_holds(enum epoch epoch, int64_t phc_ns, int64_t build_utc_ns)
{
	return epoch == EPOCH_GUARDED && phc_ns < build_utc_ns;
}

int64_t utc_offset_explains(int64_t offset_ns, int64_t tai_offset_s)
{
	int64_t size_ns = llabs(offset_ns);
	int64_t size_s = (size_ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC;

	if (llabs(size_ns - size_s * NSEC_PER_SEC) > EXPLAINED_NS ||
	    llabs(size_s - tai_offset_s) > 1)
		return 0;
	return offset_ns < 0 ? -size_s : size_s;
}

struct announcement announcement_make(const struct timescale_facts *f)
{
	bool far = f->hardware_stamps && f->phc_known && llabs(f->phc_error_ns) > PHC_FAR_NS;
	bool known = f->trust == REALTIME_GOOD && !far;
	bool steered = !f->hardware_stamps || f->feed == FEED_FOLLOW;
	struct announcement a = {
		.flags_mask = PTP_TIMESCALE | PTP_UTC_OFFSET_VALID | PTP_TIME_TRACEABLE,
		.utc_offset_s = (int16_t)f->utc.seconds,
		.clock_class = f->clock_class,
	};

	if (f->hardware_stamps)
		a.flags |= PTP_TIMESCALE;
	if (known)
		a.flags |= PTP_UTC_OFFSET_VALID | PTP_TIME_TRACEABLE;
	if (steered || f->feed != FEED_NONE)
		a.flags_mask |= PTP_FREQUENCY_TRACEABLE;
	if (steered && known)
		a.flags |= PTP_FREQUENCY_TRACEABLE;
	return a;
}

enum received_scale received_scale_judge(uint8_t flags, int64_t utc_offset_s,
					 const struct utc_offset *ours)
{
	if (!(flags & PTP_TIMESCALE))
		return RECEIVED_ARBITRARY;
	if (!(flags & PTP_UTC_OFFSET_VALID))
		return RECEIVED_UTC_INVALID;
	return utc_offset_s == ours->seconds ? RECEIVED_GOOD : RECEIVED_UTC_MISMATCH;
}
