// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The tables: one row per management id, one row per field. Reading them needs no more than the
 * header; what they mean on the wire is dataset_codec.c's business, and on paper
 * dataset_text.c's.
 */
#include "pmc-client/dataset.h"

#include <strings.h>

/* clang-format off */
#define CTYPE_U8             uint8_t
#define CTYPE_U16            uint16_t
#define CTYPE_U32            uint32_t
#define CTYPE_U48            uint64_t
#define CTYPE_I8             int8_t
#define CTYPE_I16            int16_t
#define CTYPE_I32            int32_t
#define CTYPE_I64            int64_t
#define CTYPE_COUNTER        uint64_t
#define CTYPE_INTERVAL       int64_t
#define CTYPE_INTERVAL_HOST  int64_t
#define CTYPE_SCALED_NS      struct ptp_scaled_ns
#define CTYPE_BOOL8          bool
#define CTYPE_BOOL32         bool
#define CTYPE_CLOCK_IDENTITY struct ptp_clock_identity
#define CTYPE_PORT_IDENTITY  struct ptp_port_identity
#define CTYPE_TEXT           struct ptp_text
#define CTYPE_ADDRESS        struct ptp_address
#define CTYPE_PROTOCOL       struct ptp_address
#define CTYPE_OCTETS         uint8_t *

/* A row; a kind that disagrees with the member's type makes an array of negative size. */
#define NAMED(T, m, as, K, std, ...)                                                               \
	{ .name = (as), .standard = (std), .kind = FIELD_##K, .offset = offsetof(T, m) +           \
	  0 * sizeof(char[_Generic(((T *)0)->m, CTYPE_##K: 1, default: -1)]), __VA_ARGS__ }
#define FIELD(T, m, K, std, ...) NAMED(T, m, #m, K, std, __VA_ARGS__)
#define HIDDEN(T, m, K, ...)     NAMED(T, m, NULL, K, NULL, __VA_ARGS__)
#define BIT(T, m, bit, as, std, ...)                                                               \
	{ .name = (as), .standard = (std), .kind = FIELD_BIT, .offset = offsetof(T, m),            \
	  .mask = (bit), __VA_ARGS__ }
#define PAD(n)                   { .kind = FIELD_PAD, .size = (n) }

#define NS   .unit = "ns"
#define S    .unit = "s"
#define LOG2 .unit = "log2 s"
#define HEX  .style = STYLE_HEX

#define TIME_FLAG_ROWS(T)                                                                          \
	HIDDEN(T, flags, U8),                                                                      \
	BIT(T, flags, PTP_LEAP61,              "leap61",                   "leap61"),              \
	BIT(T, flags, PTP_LEAP59,              "leap59",                   "leap59"),              \
	BIT(T, flags, PTP_UTC_OFFSET_VALID,    "current_utc_offset_valid", "currentUtcOffsetValid"), \
	BIT(T, flags, PTP_TIMESCALE,           "ptp_timescale",            "ptpTimescale"),        \
	BIT(T, flags, PTP_TIME_TRACEABLE,      "time_traceable",           "timeTraceable"),       \
	BIT(T, flags, PTP_FREQUENCY_TRACEABLE, "frequency_traceable",      "frequencyTraceable")

/* One octet, named after its id */
#define OCTET_ROWS(id, as, std, ...)                                                               \
	static const struct field id[] = {                                                         \
		NAMED(struct ptp_octet, value, as, U8, std, __VA_ARGS__),                          \
	}
#define LOG_ROWS(id, as, std)                                                                      \
	static const struct field id[] = {                                                         \
		NAMED(struct ptp_log_interval, value_log2_s, as, I8, std, LOG2),                   \
	}

static const struct field clock_description[] = {
	FIELD(struct ptp_clock_description, clock_type,              U16,      "clockType", HEX),
	FIELD(struct ptp_clock_description, physical_layer_protocol, TEXT,     "physicalLayerProtocol"),
	FIELD(struct ptp_clock_description, physical_address,        ADDRESS,  "physicalAddress"),
	FIELD(struct ptp_clock_description, protocol_address,        PROTOCOL, "protocolAddress"),
	FIELD(struct ptp_clock_description, manufacturer_identity,   OCTETS,   "manufacturerId", .size = 3),
	PAD(1),
	FIELD(struct ptp_clock_description, product_description,     TEXT,     "productDescription"),
	FIELD(struct ptp_clock_description, revision_data,           TEXT,     "revisionData"),
	FIELD(struct ptp_clock_description, user_description,        TEXT,     "userDescription"),
	FIELD(struct ptp_clock_description, profile_identity,        OCTETS,   "profileId", .size = 6),
};

static const struct field user_description[] = {
	FIELD(struct ptp_user_description, user_description, TEXT, "userDescription"),
};

static const struct field default_ds[] = {
	HIDDEN(struct ptp_default_ds, flags, U8),
	BIT(struct ptp_default_ds, flags, PTP_TWO_STEP,   "two_step_flag", "twoStepFlag"),
	BIT(struct ptp_default_ds, flags, PTP_SLAVE_ONLY, "slave_only",    "slaveOnly"),
	PAD(1),
	FIELD(struct ptp_default_ds, number_ports,               U16,            "numberPorts"),
	FIELD(struct ptp_default_ds, priority1,                  U8,             "priority1"),
	FIELD(struct ptp_default_ds, clock_class,                U8,             "clockClass"),
	FIELD(struct ptp_default_ds, clock_accuracy,             U8,             "clockAccuracy", HEX),
	FIELD(struct ptp_default_ds, offset_scaled_log_variance, U16,            "offsetScaledLogVariance", HEX),
	FIELD(struct ptp_default_ds, priority2,                  U8,             "priority2"),
	FIELD(struct ptp_default_ds, clock_identity,             CLOCK_IDENTITY, "clockIdentity"),
	FIELD(struct ptp_default_ds, domain_number,              U8,             "domainNumber"),
	PAD(1),
};

static const struct field current_ds[] = {
	FIELD(struct ptp_current_ds, steps_removed,      U16,      "stepsRemoved"),
	FIELD(struct ptp_current_ds, offset_ns,          INTERVAL, "offsetFromMaster", NS, .style = STYLE_TENTHS),
	FIELD(struct ptp_current_ds, mean_path_delay_ns, INTERVAL, "meanPathDelay", NS, .style = STYLE_TENTHS),
};

static const struct field parent_ds[] = {
	FIELD(struct ptp_parent_ds, parent_port_identity,   PORT_IDENTITY, "parentPortIdentity"),
	FIELD(struct ptp_parent_ds, parent_stats,           U8,            "parentStats"),
	PAD(1),
	FIELD(struct ptp_parent_ds, observed_parent_offset_scaled_log_variance, U16, "observedParentOffsetScaledLogVariance", HEX),
	FIELD(struct ptp_parent_ds, observed_parent_clock_phase_change_rate,    U32, "observedParentClockPhaseChangeRate", HEX),
	FIELD(struct ptp_parent_ds, grandmaster_priority1,      U8,             "grandmasterPriority1"),
	FIELD(struct ptp_parent_ds, grandmaster_clock_class,    U8,             "gm.ClockClass"),
	FIELD(struct ptp_parent_ds, grandmaster_clock_accuracy, U8,             "gm.ClockAccuracy", HEX),
	FIELD(struct ptp_parent_ds, grandmaster_offset_scaled_log_variance, U16, "gm.OffsetScaledLogVariance", HEX),
	FIELD(struct ptp_parent_ds, grandmaster_priority2,      U8,             "grandmasterPriority2"),
	FIELD(struct ptp_parent_ds, grandmaster_identity,       CLOCK_IDENTITY, "grandmasterIdentity"),
};

static const struct field time_properties_ds[] = {
	FIELD(struct ptp_time_properties_ds, current_utc_offset_s, I16, "currentUtcOffset", S),
	TIME_FLAG_ROWS(struct ptp_time_properties_ds),
	FIELD(struct ptp_time_properties_ds, time_source,          U8,  "timeSource", HEX),
};

static const struct field port_ds[] = {
	FIELD(struct ptp_port_ds, port_identity,               PORT_IDENTITY, "portIdentity"),
	FIELD(struct ptp_port_ds, port_state,                  U8, "portState", .style = STYLE_NAME, .names = ptp_port_states),
	FIELD(struct ptp_port_ds, log_min_delay_req_interval,  I8,       "logMinDelayReqInterval", LOG2),
	FIELD(struct ptp_port_ds, peer_mean_path_delay_ns,     INTERVAL, "peerMeanPathDelay", NS),
	FIELD(struct ptp_port_ds, log_announce_interval,       I8,       "logAnnounceInterval", LOG2),
	FIELD(struct ptp_port_ds, announce_receipt_timeout,    U8,       "announceReceiptTimeout"),
	FIELD(struct ptp_port_ds, log_sync_interval,           I8,       "logSyncInterval", LOG2),
	FIELD(struct ptp_port_ds, delay_mechanism,             U8,       "delayMechanism", .names = ptp_delay_mechanisms),
	FIELD(struct ptp_port_ds, log_min_pdelay_req_interval, I8,       "logMinPdelayReqInterval", LOG2),
	FIELD(struct ptp_port_ds, version_number,              U8,       "versionNumber"),
};

OCTET_ROWS(priority1, "priority1", "priority1");
OCTET_ROWS(priority2, "priority2", "priority2");
OCTET_ROWS(domain, "domain_number", "domainNumber");
LOG_ROWS(log_announce_interval, "log_announce_interval", "logAnnounceInterval");
OCTET_ROWS(announce_receipt_timeout, "announce_receipt_timeout", "announceReceiptTimeout");
LOG_ROWS(log_sync_interval, "log_sync_interval", "logSyncInterval");
OCTET_ROWS(version_number, "version_number", "versionNumber");
OCTET_ROWS(clock_accuracy, "clock_accuracy", "clockAccuracy", HEX);
OCTET_ROWS(master_only, "master_only", "masterOnly");
OCTET_ROWS(delay_mechanism, "delay_mechanism", "delayMechanism", .names = ptp_delay_mechanisms);
LOG_ROWS(log_min_pdelay_req_interval, "log_min_pdelay_req_interval", "logMinPdelayReqInterval");
OCTET_ROWS(synchronization_uncertain_np, "uncertain", "uncertain"); /* 255: don't care */

static const struct field slave_only[] = { /* true is 2 in 3.1.1, 1 from 4.0 */
	HIDDEN(struct ptp_octet, value, U8),
	BIT(struct ptp_octet, value, 0xFF, "slave_only", "slaveOnly"),
};

/* pmc shows two of the flags of the one id and one of the other. */
static const struct field traceability_properties[] = {
	HIDDEN(struct ptp_time_flags_octet, flags, U8),
	BIT(struct ptp_time_flags_octet, flags, PTP_TIME_TRACEABLE,      "time_traceable",      "timeTraceable"),
	BIT(struct ptp_time_flags_octet, flags, PTP_FREQUENCY_TRACEABLE, "frequency_traceable", "frequencyTraceable"),
};

static const struct field timescale_properties[] = {
	HIDDEN(struct ptp_time_flags_octet, flags, U8),
	BIT(struct ptp_time_flags_octet, flags, PTP_TIMESCALE, "ptp_timescale", "ptpTimescale"),
};

static const struct field alternate_enable[] = {
	FIELD(struct ptp_alternate_enable, key, U8, "keyField"),
	HIDDEN(struct ptp_alternate_enable, enable, U8),
	BIT(struct ptp_alternate_enable, enable, 1, "enable", "enable"),
};

static const struct field alternate_name[] = {
	FIELD(struct ptp_alternate_name, key,          U8,   "keyField"),
	FIELD(struct ptp_alternate_name, display_name, TEXT, "displayName"),
};

static const struct field alternate_properties[] = {
	FIELD(struct ptp_alternate_properties, key,                 U8,  "keyField"),
	FIELD(struct ptp_alternate_properties, current_offset_s,    I32, "currentOffset", S),
	FIELD(struct ptp_alternate_properties, jump_s,              I32, "jumpSeconds", S),
	FIELD(struct ptp_alternate_properties, time_of_next_jump_s, U48, "timeOfNextJump", S),
	PAD(1),
};

static const struct field time_status_np[] = {
	FIELD(struct ptp_time_status_np, master_offset_ns, I64, "master_offset", NS),
	FIELD(struct ptp_time_status_np, ingress_time_ns,  I64, "ingress_time", NS),
	FIELD(struct ptp_time_status_np, cumulative_scaled_rate_offset, I32, "cumulativeScaledRateOffset", .style = STYLE_RATE),
	FIELD(struct ptp_time_status_np, scaled_last_gm_phase_change,   I32, "scaledLastGmPhaseChange"),
	FIELD(struct ptp_time_status_np, gm_time_base_indicator,        U16, "gmTimeBaseIndicator"),
	FIELD(struct ptp_time_status_np, last_gm_phase_change, SCALED_NS,    "lastGmPhaseChange"),
	FIELD(struct ptp_time_status_np, gm_present,  BOOL32, "gmPresent", .style = STYLE_TRUE_FALSE),
	FIELD(struct ptp_time_status_np, gm_identity, CLOCK_IDENTITY, "gmIdentity"),
};

static const struct field grandmaster_settings_np[] = {
	FIELD(struct ptp_grandmaster_settings_np, clock_class,                U8,  "clockClass"),
	FIELD(struct ptp_grandmaster_settings_np, clock_accuracy,             U8,  "clockAccuracy", HEX),
	FIELD(struct ptp_grandmaster_settings_np, offset_scaled_log_variance, U16, "offsetScaledLogVariance", HEX),
	FIELD(struct ptp_grandmaster_settings_np, current_utc_offset_s,       I16, "currentUtcOffset", S),
	TIME_FLAG_ROWS(struct ptp_grandmaster_settings_np),
	FIELD(struct ptp_grandmaster_settings_np, time_source,                U8,  "timeSource", HEX),
};

static const struct field port_ds_np[] = {
	FIELD(struct ptp_port_ds_np, neighbor_prop_delay_thresh_ns, U32, "neighborPropDelayThresh", NS),
	FIELD(struct ptp_port_ds_np, as_capable,                    I32, "asCapable"),
};

#define EVENT(bit, as, std) BIT(struct ptp_subscribe_events_np, events[0], bit, as, std, .style = STYLE_ON_OFF)
static const struct field subscribe_events_np[] = {
	FIELD(struct ptp_subscribe_events_np, duration_s, U16, "duration", S),
	HIDDEN(struct ptp_subscribe_events_np, events, OCTETS, .size = 64),
	EVENT(0x01, "notify_port_state",      "NOTIFY_PORT_STATE"),
	EVENT(0x02, "notify_time_sync",       "NOTIFY_TIME_SYNC"),
	EVENT(0x04, "notify_parent_data_set", "NOTIFY_PARENT_DATA_SET"),
	EVENT(0x08, "notify_cmlds",           "NOTIFY_CMLDS"),
};

static const struct field port_properties_np[] = {
	FIELD(struct ptp_port_properties_np, port_identity, PORT_IDENTITY, "portIdentity"),
	FIELD(struct ptp_port_properties_np, port_state,    U8, "portState", .style = STYLE_NAME, .names = ptp_port_states),
	FIELD(struct ptp_port_properties_np, timestamping,  U8, "timestamping", .style = STYLE_NAME, .names = ptp_timestampings),
	FIELD(struct ptp_port_properties_np, interface,     TEXT, "interface"),
};

/* Sixteen counters, of which ten have a name; the others are reserved message types. */
/* NOLINTBEGIN(bugprone-macro-parentheses): names of members, literals to be joined */
#define STAT(dir, type, as, std) NAMED(struct ptp_port_stats_np, dir[PTP_MSG_##type], #dir "_" as, COUNTER, #dir "_" std)
#define RESERVED_STAT(dir, i)    HIDDEN(struct ptp_port_stats_np, dir[i], COUNTER)
/* NOLINTEND(bugprone-macro-parentheses) */
#define STAT_ROWS(dir)                                                                             \
	STAT(dir, SYNC,                  "sync",                  "Sync"),                         \
	STAT(dir, DELAY_REQ,             "delay_req",             "Delay_Req"),                    \
	STAT(dir, PDELAY_REQ,            "pdelay_req",            "Pdelay_Req"),                   \
	STAT(dir, PDELAY_RESP,           "pdelay_resp",           "Pdelay_Resp"),                  \
	RESERVED_STAT(dir, 4), RESERVED_STAT(dir, 5), RESERVED_STAT(dir, 6), RESERVED_STAT(dir, 7), \
	STAT(dir, FOLLOW_UP,             "follow_up",             "Follow_Up"),                    \
	STAT(dir, DELAY_RESP,            "delay_resp",            "Delay_Resp"),                   \
	STAT(dir, PDELAY_RESP_FOLLOW_UP, "pdelay_resp_follow_up", "Pdelay_Resp_Follow_Up"),        \
	STAT(dir, ANNOUNCE,              "announce",              "Announce"),                     \
	STAT(dir, SIGNALING,             "signaling",             "Signaling"),                    \
	STAT(dir, MANAGEMENT,            "management",            "Management"),                   \
	RESERVED_STAT(dir, 14), RESERVED_STAT(dir, 15)

static const struct field port_stats_np[] = {
	FIELD(struct ptp_port_stats_np, port_identity, PORT_IDENTITY, "portIdentity"),
	STAT_ROWS(rx),
	STAT_ROWS(tx),
};

#define SERVICE_STAT(m) FIELD(struct ptp_port_service_stats_np, m, COUNTER, #m)
static const struct field port_service_stats_np[] = {
	FIELD(struct ptp_port_service_stats_np, port_identity, PORT_IDENTITY, "portIdentity"),
	SERVICE_STAT(announce_timeout),
	SERVICE_STAT(sync_timeout),
	SERVICE_STAT(delay_timeout),
	SERVICE_STAT(unicast_service_timeout),
	SERVICE_STAT(unicast_request_timeout),
	SERVICE_STAT(master_announce_timeout),
	SERVICE_STAT(master_sync_timeout),
	SERVICE_STAT(qualification_timeout),
	SERVICE_STAT(sync_mismatch),
	SERVICE_STAT(followup_mismatch),
};

static const struct field unicast_master[] = {
	FIELD(struct ptp_unicast_master, port_identity,              PORT_IDENTITY, "identity"),
	FIELD(struct ptp_unicast_master, clock_class,                U8,       "clockClass"),
	FIELD(struct ptp_unicast_master, clock_accuracy,             U8,       "clockQuality", HEX),
	FIELD(struct ptp_unicast_master, offset_scaled_log_variance, U16,      "offsetScaledLogVariance", HEX),
	FIELD(struct ptp_unicast_master, selected,                   BOOL8,    "BM", .style = STYLE_YES_NO),
	FIELD(struct ptp_unicast_master, state,                      U8,       "state", .style = STYLE_NAME, .names = ptp_unicast_states),
	FIELD(struct ptp_unicast_master, priority1,                  U8,       "p1"),
	FIELD(struct ptp_unicast_master, priority2,                  U8,       "p2"),
	FIELD(struct ptp_unicast_master, address,                    PROTOCOL, "address"),
};

static const struct field unicast_master_table_np[] = {
	{ .name = "masters", .standard = "actual_table_size", .kind = FIELD_RECORDS,
	  .offset = offsetof(struct ptp_unicast_master_table_np, count),
	  .rows = unicast_master, .n_rows = sizeof(unicast_master) / sizeof(unicast_master[0]),
	  .size = PTP_UNICAST_MASTERS_MAX, .stride = sizeof(struct ptp_unicast_master),
	  .records = offsetof(struct ptp_unicast_master_table_np, master) },
};

static const struct field port_hwclock_np[] = {
	FIELD(struct ptp_port_hwclock_np, port_identity, PORT_IDENTITY, "portIdentity"),
	FIELD(struct ptp_port_hwclock_np, phc_index,     I32,           "phcIndex"),
	FIELD(struct ptp_port_hwclock_np, flags,         U8,            "flags"),
	PAD(1),
};

static const struct field power_profile_settings_np[] = {
	FIELD(struct ptp_power_profile_settings_np, version,        U16, "version"),
	FIELD(struct ptp_power_profile_settings_np, grandmaster_id, U16, "grandmasterID", HEX),
	FIELD(struct ptp_power_profile_settings_np, grandmaster_time_inaccuracy_ns, U32, "grandmasterTimeInaccuracy", NS),
	FIELD(struct ptp_power_profile_settings_np, network_time_inaccuracy_ns,     U32, "networkTimeInaccuracy", NS),
	FIELD(struct ptp_power_profile_settings_np, total_time_inaccuracy_ns,       U32, "totalTimeInaccuracy", NS),
};

static const struct field cmlds_info_np[] = {
	FIELD(struct ptp_cmlds_info_np, mean_link_delay_ns,         INTERVAL, "meanLinkDelay", NS),
	FIELD(struct ptp_cmlds_info_np, scaled_neighbor_rate_ratio, I32,      "scaledNeighborRateRatio"),
	FIELD(struct ptp_cmlds_info_np, as_capable,                 U32,      "as_capable"),
};

static const struct field port_corrections_np[] = {
	FIELD(struct ptp_port_corrections_np, egress_latency_ns,  INTERVAL_HOST, "egressLatency", NS),
	FIELD(struct ptp_port_corrections_np, ingress_latency_ns, INTERVAL_HOST, "ingressLatency", NS),
	FIELD(struct ptp_port_corrections_np, delay_asymmetry_ns, INTERVAL_HOST, "delayAsymmetry", NS),
};

static const struct field external_grandmaster_np[] = {
	FIELD(struct ptp_external_grandmaster_np, gm_identity,   CLOCK_IDENTITY, "gmIdentity"),
	FIELD(struct ptp_external_grandmaster_np, steps_removed, U16,            "stepsRemoved"),
};

#define ROWS(T, rows) .size = sizeof(T), .fields = (rows), .n_fields = sizeof(rows) / sizeof((rows)[0])
#define OCTET(rows)   ROWS(struct ptp_octet, rows)
#define LOG(rows)     ROWS(struct ptp_log_interval, rows)
#define ID(i, n, f, ...) { .id = (i), .name = (n), .flags = (f), __VA_ARGS__ }
#define GET           DATASET_GET
#define GET_SET       (DATASET_GET | DATASET_SET)
#define PORT          DATASET_PORT
#define NEWEST        "after 4.4"
#define CLAUSE(n)     .layout = "IEEE 1588-2019 15.5.3." n
#define LINUXPTP(v)   .layout = "linuxptp " v ", tlv.h" /* the version that brought it */

/* In the order of the ids. Those without flags but PORT are refused by every linuxptp version. */
static const struct dataset datasets[] = {
	ID(0x0000, "NULL_MANAGEMENT", PORT | GET, CLAUSE("1.1")),
	ID(0x0001, "CLOCK_DESCRIPTION", PORT | GET, CLAUSE("1.2"), ROWS(struct ptp_clock_description, clock_description)),
	ID(0x0002, "USER_DESCRIPTION", GET, CLAUSE("1.3"), ROWS(struct ptp_user_description, user_description)),
	ID(0x0003, "SAVE_IN_NON_VOLATILE_STORAGE", 0),
	ID(0x0004, "RESET_NON_VOLATILE_STORAGE", 0),
	ID(0x0005, "INITIALIZE", 0),
	ID(0x0006, "FAULT_LOG", 0),
	ID(0x0007, "FAULT_LOG_RESET", 0),
	ID(0x2000, "DEFAULT_DATA_SET", GET, CLAUSE("3.1"), ROWS(struct ptp_default_ds, default_ds)),
	ID(0x2001, "CURRENT_DATA_SET", GET, CLAUSE("4.1"), ROWS(struct ptp_current_ds, current_ds)),
	ID(0x2002, "PARENT_DATA_SET", GET, CLAUSE("5.1"), ROWS(struct ptp_parent_ds, parent_ds)),
	ID(0x2003, "TIME_PROPERTIES_DATA_SET", GET, CLAUSE("6.1"), ROWS(struct ptp_time_properties_ds, time_properties_ds)),
	ID(0x2004, "PORT_DATA_SET", PORT | GET, CLAUSE("7.1"), ROWS(struct ptp_port_ds, port_ds)),
	ID(0x2005, "PRIORITY1", GET_SET, CLAUSE("3.2"), OCTET(priority1)),
	ID(0x2006, "PRIORITY2", GET_SET, CLAUSE("3.3"), OCTET(priority2)),
	ID(0x2007, "DOMAIN", GET, CLAUSE("3.4"), OCTET(domain)),
	ID(0x2008, "SLAVE_ONLY", GET, CLAUSE("3.5"), OCTET(slave_only)),
	ID(0x2009, "LOG_ANNOUNCE_INTERVAL", PORT | GET, CLAUSE("7.2"), LOG(log_announce_interval)),
	ID(0x200A, "ANNOUNCE_RECEIPT_TIMEOUT", PORT | GET, CLAUSE("7.3"), OCTET(announce_receipt_timeout)),
	ID(0x200B, "LOG_SYNC_INTERVAL", PORT | GET, CLAUSE("7.4"), LOG(log_sync_interval)),
	ID(0x200C, "VERSION_NUMBER", PORT | GET, CLAUSE("7.7"), OCTET(version_number)),
	ID(0x200D, "ENABLE_PORT", PORT | DATASET_COMMAND, CLAUSE("2.3"), .since = NEWEST),
	ID(0x200E, "DISABLE_PORT", PORT | DATASET_COMMAND, CLAUSE("2.4"), .since = NEWEST),
	ID(0x200F, "TIME", 0),
	ID(0x2010, "CLOCK_ACCURACY", GET, CLAUSE("2.2"), OCTET(clock_accuracy)),
	ID(0x2011, "UTC_PROPERTIES", 0),
	ID(0x2012, "TRACEABILITY_PROPERTIES", GET, CLAUSE("6.3"), ROWS(struct ptp_time_flags_octet, traceability_properties)),
	ID(0x2013, "TIMESCALE_PROPERTIES", GET, CLAUSE("6.4"), ROWS(struct ptp_time_flags_octet, timescale_properties)),
	ID(0x2014, "UNICAST_NEGOTIATION_ENABLE", PORT),
	ID(0x2015, "PATH_TRACE_LIST", 0),
	ID(0x2016, "PATH_TRACE_ENABLE", 0),
	ID(0x2017, "GRANDMASTER_CLUSTER_TABLE", 0),
	ID(0x2018, "UNICAST_MASTER_TABLE", PORT),
	ID(0x2019, "UNICAST_MASTER_MAX_TABLE_SIZE", PORT),
	ID(0x201A, "ACCEPTABLE_MASTER_TABLE", 0),
	ID(0x201B, "ACCEPTABLE_MASTER_TABLE_ENABLED", PORT),
	ID(0x201C, "ACCEPTABLE_MASTER_MAX_TABLE_SIZE", 0),
	ID(0x201D, "ALTERNATE_MASTER", PORT),
	ID(0x201E, "ALTERNATE_TIME_OFFSET_ENABLE", GET_SET | DATASET_KEYED, CLAUSE("3.8"), .since = "4.0", ROWS(struct ptp_alternate_enable, alternate_enable)),
	ID(0x201F, "ALTERNATE_TIME_OFFSET_NAME", GET_SET | DATASET_KEYED, CLAUSE("3.9"), .since = "4.0", ROWS(struct ptp_alternate_name, alternate_name)),
	ID(0x2020, "ALTERNATE_TIME_OFFSET_MAX_KEY", 0),
	ID(0x2021, "ALTERNATE_TIME_OFFSET_PROPERTIES", GET_SET | DATASET_KEYED, CLAUSE("3.11"), .since = "4.0", ROWS(struct ptp_alternate_properties, alternate_properties)),
	ID(0x3000, "EXTERNAL_PORT_CONFIGURATION_ENABLED", 0),
	ID(0x3001, "MASTER_ONLY", PORT | GET, CLAUSE("7"), .since = "4.0", OCTET(master_only)),
	ID(0x3002, "HOLDOVER_UPGRADE_ENABLE", 0),
	ID(0x3003, "EXT_PORT_CONFIG_PORT_DATA_SET", PORT),
	ID(0x4000, "TRANSPARENT_CLOCK_DEFAULT_DATA_SET", 0),
	ID(0x4001, "TRANSPARENT_CLOCK_PORT_DATA_SET", PORT),
	ID(0x4002, "PRIMARY_DOMAIN", 0),
	ID(0x6000, "DELAY_MECHANISM", PORT | GET, CLAUSE("7.5"), OCTET(delay_mechanism)),
	ID(0x6001, "LOG_MIN_PDELAY_REQ_INTERVAL", PORT | GET, CLAUSE("7.6"), LOG(log_min_pdelay_req_interval)),
	ID(0xC000, "TIME_STATUS_NP", GET, LINUXPTP("1.0"), ROWS(struct ptp_time_status_np, time_status_np)),
	ID(0xC001, "GRANDMASTER_SETTINGS_NP", GET_SET, LINUXPTP("1.3"), ROWS(struct ptp_grandmaster_settings_np, grandmaster_settings_np)),
	ID(0xC002, "PORT_DATA_SET_NP", PORT | GET_SET, LINUXPTP("1.4"), ROWS(struct ptp_port_ds_np, port_ds_np)),
	ID(0xC003, "SUBSCRIBE_EVENTS_NP", GET_SET | DATASET_READ_WRITE, LINUXPTP("1.5"), ROWS(struct ptp_subscribe_events_np, subscribe_events_np)),
	ID(0xC004, "PORT_PROPERTIES_NP", PORT | GET | DATASET_READ_WRITE, LINUXPTP("1.5"), ROWS(struct ptp_port_properties_np, port_properties_np)),
	ID(0xC005, "PORT_STATS_NP", PORT | GET, LINUXPTP("3.0"), ROWS(struct ptp_port_stats_np, port_stats_np)),
	ID(0xC006, "SYNCHRONIZATION_UNCERTAIN_NP", GET_SET, LINUXPTP("3.0"), OCTET(synchronization_uncertain_np)),
	ID(0xC007, "PORT_SERVICE_STATS_NP", PORT | GET, LINUXPTP("4.0"), .since = "4.0", ROWS(struct ptp_port_service_stats_np, port_service_stats_np)),
	ID(0xC008, "UNICAST_MASTER_TABLE_NP", PORT | GET, LINUXPTP("4.0"), .since = "4.0", ROWS(struct ptp_unicast_master_table_np, unicast_master_table_np)),
	ID(0xC009, "PORT_HWCLOCK_NP", PORT | GET | DATASET_READ_WRITE, LINUXPTP("4.0"), .since = "4.0", ROWS(struct ptp_port_hwclock_np, port_hwclock_np)),
	ID(0xC00A, "POWER_PROFILE_SETTINGS_NP", PORT | GET_SET, LINUXPTP("4.0"), .since = "4.0", ROWS(struct ptp_power_profile_settings_np, power_profile_settings_np)),
	ID(0xC00B, "CMLDS_INFO_NP", PORT | GET, LINUXPTP("4.3"), .since = "4.3", ROWS(struct ptp_cmlds_info_np, cmlds_info_np)),
	ID(0xC00C, "PORT_CORRECTIONS_NP", PORT | GET_SET, LINUXPTP(NEWEST), .since = NEWEST, ROWS(struct ptp_port_corrections_np, port_corrections_np)),
	ID(0xC00D, "EXTERNAL_GRANDMASTER_PROPERTIES_NP", GET_SET, LINUXPTP(NEWEST), .since = NEWEST, ROWS(struct ptp_external_grandmaster_np, external_grandmaster_np)),
};
/* clang-format on */

enum { N_DATASETS = sizeof(datasets) / sizeof(datasets[0]) };

const struct dataset *pmc_dataset_at(size_t index)
{
	return index < N_DATASETS ? &datasets[index] : NULL;
}

const struct dataset *pmc_dataset_find(uint16_t id)
{
	size_t low = 0, high = N_DATASETS;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (datasets[middle].id == id)
			return &datasets[middle];
		if (datasets[middle].id < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct dataset *pmc_dataset_by_name(const char *name)
{
	for (size_t i = 0; i < N_DATASETS; i++)
		if (strcasecmp(datasets[i].name, name) == 0)
			return &datasets[i];
	return NULL;
}

const struct field *pmc_dataset_field(const struct dataset *ds, const char *name)
{
	for (size_t i = 0; i < ds->n_fields; i++) {
		const struct field *f = &ds->fields[i];

		if (f->name &&
		    (strcasecmp(f->name, name) == 0 || strcasecmp(f->standard, name) == 0))
			return f;
	}
	return NULL;
}
