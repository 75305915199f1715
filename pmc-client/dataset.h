/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Every management id that linuxptp knows, as data: a struct in host order, and rows that say how
 * each of its members is laid out on the wire, printed and parsed. One engine decodes, encodes,
 * prints and parses them all.
 *
 * Units are in the names. A TimeInterval (2^-16 ns on the wire) is whole nanoseconds here, rounded
 * toward zero; one that was out of range for its sender is INT64_MIN or INT64_MAX. Offsets are
 * local minus reference: positive means the local clock is ahead.
 *
 * Layouts: IEEE 1588-2019 clause 15.5.3 for the standard ids; linuxptp 3.1.1 to 4.4 for the _NP
 * ones, which no standard fixes. Each row names its own (struct dataset).
 */
#pragma once

#include "pmc-client/ptp_types.h"

enum ptp_id {
	PTP_ID_NULL_MANAGEMENT = 0x0000,
	PTP_ID_CLOCK_DESCRIPTION = 0x0001,
	PTP_ID_USER_DESCRIPTION = 0x0002,
	PTP_ID_DEFAULT_DATA_SET = 0x2000,
	PTP_ID_CURRENT_DATA_SET = 0x2001,
	PTP_ID_PARENT_DATA_SET = 0x2002,
	PTP_ID_TIME_PROPERTIES_DATA_SET = 0x2003,
	PTP_ID_PORT_DATA_SET = 0x2004,
	PTP_ID_PRIORITY1 = 0x2005,
	PTP_ID_PRIORITY2 = 0x2006,
	PTP_ID_DOMAIN = 0x2007,
	PTP_ID_SLAVE_ONLY = 0x2008,
	PTP_ID_LOG_ANNOUNCE_INTERVAL = 0x2009,
	PTP_ID_ANNOUNCE_RECEIPT_TIMEOUT = 0x200A,
	PTP_ID_LOG_SYNC_INTERVAL = 0x200B,
	PTP_ID_VERSION_NUMBER = 0x200C,
	PTP_ID_ENABLE_PORT = 0x200D,
	PTP_ID_DISABLE_PORT = 0x200E,
	PTP_ID_CLOCK_ACCURACY = 0x2010,
	PTP_ID_TRACEABILITY_PROPERTIES = 0x2012,
	PTP_ID_TIMESCALE_PROPERTIES = 0x2013,
	PTP_ID_ALTERNATE_TIME_OFFSET_ENABLE = 0x201E,
	PTP_ID_ALTERNATE_TIME_OFFSET_NAME = 0x201F,
	PTP_ID_ALTERNATE_TIME_OFFSET_PROPERTIES = 0x2021,
	PTP_ID_MASTER_ONLY = 0x3001,
	PTP_ID_DELAY_MECHANISM = 0x6000,
	PTP_ID_LOG_MIN_PDELAY_REQ_INTERVAL = 0x6001,
	PTP_ID_TIME_STATUS_NP = 0xC000,
	PTP_ID_GRANDMASTER_SETTINGS_NP = 0xC001,
	PTP_ID_PORT_DATA_SET_NP = 0xC002,
	PTP_ID_SUBSCRIBE_EVENTS_NP = 0xC003,
	PTP_ID_PORT_PROPERTIES_NP = 0xC004,
	PTP_ID_PORT_STATS_NP = 0xC005,
	PTP_ID_SYNCHRONIZATION_UNCERTAIN_NP = 0xC006,
	PTP_ID_PORT_SERVICE_STATS_NP = 0xC007,
	PTP_ID_UNICAST_MASTER_TABLE_NP = 0xC008,
	PTP_ID_PORT_HWCLOCK_NP = 0xC009,
	PTP_ID_POWER_PROFILE_SETTINGS_NP = 0xC00A,
	PTP_ID_CMLDS_INFO_NP = 0xC00B,
	PTP_ID_PORT_CORRECTIONS_NP = 0xC00C,
	PTP_ID_EXTERNAL_GRANDMASTER_PROPERTIES_NP = 0xC00D,
};

#define PTP_TWO_STEP   0x01 /* bits of ptp_default_ds.flags */
#define PTP_SLAVE_ONLY 0x02

#define PTP_UNICAST_MASTERS_MAX 65 /* as many as fit into ptp4l's 1500 octets */

/* The ids whose data are one octet: PRIORITY1, DOMAIN ... */
struct ptp_octet {
	uint8_t value;
};

/* Those whose octet is a signed logarithm to base 2 of seconds */
struct ptp_log_interval {
	int8_t value_log2_s;
};

/* TRACEABILITY_PROPERTIES and TIMESCALE_PROPERTIES: enum ptp_time_flags */
struct ptp_time_flags_octet {
	uint8_t flags;
};

struct ptp_clock_description {
	uint16_t clock_type; /* 0x8000 ordinary, 0x4000 boundary, 0x2000 P2P TC, 0x1000 E2E TC */
	struct ptp_text physical_layer_protocol;
	struct ptp_address physical_address;
	struct ptp_address protocol_address;
	uint8_t manufacturer_identity[3];
	struct ptp_text product_description; /* "maker;model;serial" */
	struct ptp_text revision_data;       /* "hardware;firmware;software" */
	struct ptp_text user_description;    /* "name;location" */
	uint8_t profile_identity[6];
};

struct ptp_user_description {
	struct ptp_text user_description;
};

struct ptp_default_ds {
	uint8_t flags; /* PTP_TWO_STEP, PTP_SLAVE_ONLY */
	uint16_t number_ports;
	uint8_t priority1;
	uint8_t clock_class;
	uint8_t clock_accuracy;
	uint16_t offset_scaled_log_variance;
	uint8_t priority2;
	struct ptp_clock_identity clock_identity;
	uint8_t domain_number;
};

struct ptp_current_ds {
	uint16_t steps_removed;
	int64_t offset_ns;
	int64_t mean_path_delay_ns; /* E2E only: stays 0 with the peer delay mechanism */
};

struct ptp_parent_ds {
	struct ptp_port_identity parent_port_identity; /* own clock with port 0 as grandmaster */
	uint8_t parent_stats;
	uint16_t observed_parent_offset_scaled_log_variance;
	uint32_t observed_parent_clock_phase_change_rate;
	uint8_t grandmaster_priority1;
	uint8_t grandmaster_clock_class;
	uint8_t grandmaster_clock_accuracy;
	uint16_t grandmaster_offset_scaled_log_variance;
	uint8_t grandmaster_priority2;
	struct ptp_clock_identity grandmaster_identity;
};

struct ptp_time_properties_ds {
	int16_t current_utc_offset_s;
	uint8_t flags; /* enum ptp_time_flags */
	uint8_t time_source;
};

struct ptp_port_ds {
	struct ptp_port_identity port_identity;
	uint8_t port_state; /* enum ptp_port_state */
	int8_t log_min_delay_req_interval;
	int64_t peer_mean_path_delay_ns; /* P2P only: stays 0 with E2E */
	int8_t log_announce_interval;
	uint8_t announce_receipt_timeout;
	int8_t log_sync_interval;
	uint8_t delay_mechanism; /* enum ptp_delay_mechanism */
	int8_t log_min_pdelay_req_interval;
	uint8_t version_number;
};

/* The ALTERNATE_TIME_OFFSET_ ids (since 4.0): four keys, 0 to 3; 255 in a SET of ENABLE is all */
struct ptp_alternate_enable {
	uint8_t key;
	uint8_t enable; /* bit 0 */
};

struct ptp_alternate_name {
	uint8_t key;
	struct ptp_text display_name; /* at most 10 symbols */
};

struct ptp_alternate_properties {
	uint8_t key;
	int32_t current_offset_s;
	int32_t jump_s;
	uint64_t time_of_next_jump_s; /* 48 bits */
};

struct ptp_time_status_np {
	int64_t master_offset_ns; /* the raw last sample */
	/*
	 * When the last used Sync came in, on the local clock's own time scale. 0 after a step of
	 * the clock, a change of master and its loss; then master_offset_ns keeps its last value.
	 */
	int64_t ingress_time_ns;
	int32_t cumulative_scaled_rate_offset; /* (rate ratio - 1) * 2^41 */
	int32_t scaled_last_gm_phase_change;
	uint16_t gm_time_base_indicator;
	struct ptp_scaled_ns last_gm_phase_change; /* ns_low is corrupt in 3.1.1 */
	bool gm_present; /* stays set on a slave-only clock whose master has vanished */
	struct ptp_clock_identity gm_identity;
};

/* What this clock announces as grandmaster; a SET replaces all of it */
struct ptp_grandmaster_settings_np {
	uint8_t clock_class;
	uint8_t clock_accuracy;
	uint16_t offset_scaled_log_variance;
	int16_t current_utc_offset_s;
	uint8_t flags; /* enum ptp_time_flags */
	uint8_t time_source;
};

struct ptp_port_ds_np {
	uint32_t neighbor_prop_delay_thresh_ns;
	int32_t as_capable; /* 0 no, 1 yes, 2 forced; a SET ignores it */
};

/* Event n is bit n mod 8 of events[n / 8]. */
struct ptp_subscribe_events_np {
	uint16_t duration_s;
	uint8_t events[64];
};

struct ptp_port_properties_np {
	struct ptp_port_identity port_identity;
	uint8_t port_state;
	uint8_t timestamping;      /* enum ptp_timestamping */
	struct ptp_text interface; /* that takes the time stamps: the active slave of a bond */
};

/* Indexed by enum ptp_message_type; messages over the UNIX sockets are not counted */
struct ptp_port_stats_np {
	struct ptp_port_identity port_identity;
	uint64_t rx[PTP_MSG_MAX];
	uint64_t tx[PTP_MSG_MAX];
};

/* Since 4.0. Timer expiries that are part of normal work are counted too. */
struct ptp_port_service_stats_np {
	struct ptp_port_identity port_identity;
	uint64_t announce_timeout;
	uint64_t sync_timeout;
	uint64_t delay_timeout;
	uint64_t unicast_service_timeout;
	uint64_t unicast_request_timeout;
	uint64_t master_announce_timeout;
	uint64_t master_sync_timeout;
	uint64_t qualification_timeout;
	uint64_t sync_mismatch;
	uint64_t followup_mismatch;
};

struct ptp_unicast_master {
	struct ptp_port_identity port_identity; /* all ones until heard of */
	uint8_t clock_class;
	uint8_t clock_accuracy;
	uint16_t offset_scaled_log_variance;
	bool selected;
	uint8_t state; /* enum ptp_unicast_state */
	uint8_t priority1;
	uint8_t priority2;
	struct ptp_address address;
};

/* Since 4.0 */
struct ptp_unicast_master_table_np {
	uint16_t count;
	struct ptp_unicast_master master[PTP_UNICAST_MASTERS_MAX];
};

/* Since 4.0 */
struct ptp_port_hwclock_np {
	struct ptp_port_identity port_identity;
	int32_t phc_index; /* -1: none */
	uint8_t flags;     /* bit 0: a virtual clock */
};

/* Since 4.0; 0xFFFFFFFF ns is unknown */
struct ptp_power_profile_settings_np {
	uint16_t version; /* 0 none, 1 C37.238-2011, 2 C37.238-2017 */
	uint16_t grandmaster_id;
	uint32_t grandmaster_time_inaccuracy_ns;
	uint32_t network_time_inaccuracy_ns;
	uint32_t total_time_inaccuracy_ns;
};

/* Since 4.3 */
struct ptp_cmlds_info_np {
	int64_t mean_link_delay_ns;
	int32_t scaled_neighbor_rate_ratio; /* (ratio - 1) * 2^41 */
	uint32_t as_capable;
};

/* After 4.4; sent in the byte order of ptp4l's machine */
struct ptp_port_corrections_np {
	int64_t egress_latency_ns;
	int64_t ingress_latency_ns;
	int64_t delay_asymmetry_ns;
};

/* After 4.4; gm_identity all zero: not used */
struct ptp_external_grandmaster_np {
	struct ptp_clock_identity gm_identity;
	uint16_t steps_removed;
};

union ptp_data {
	struct ptp_octet octet;
	struct ptp_log_interval log_interval;
	struct ptp_time_flags_octet time_flags;
	struct ptp_clock_description clock_description;
	struct ptp_user_description user_description;
	struct ptp_default_ds default_ds;
	struct ptp_current_ds current_ds;
	struct ptp_parent_ds parent_ds;
	struct ptp_time_properties_ds time_properties_ds;
	struct ptp_port_ds port_ds;
	struct ptp_alternate_enable alternate_enable;
	struct ptp_alternate_name alternate_name;
	struct ptp_alternate_properties alternate_properties;
	struct ptp_time_status_np time_status_np;
	struct ptp_grandmaster_settings_np grandmaster_settings_np;
	struct ptp_port_ds_np port_ds_np;
	struct ptp_subscribe_events_np subscribe_events_np;
	struct ptp_port_properties_np port_properties_np;
	struct ptp_port_stats_np port_stats_np;
	struct ptp_port_service_stats_np port_service_stats_np;
	struct ptp_unicast_master_table_np unicast_master_table_np;
	struct ptp_port_hwclock_np port_hwclock_np;
	struct ptp_power_profile_settings_np power_profile_settings_np;
	struct ptp_cmlds_info_np cmlds_info_np;
	struct ptp_port_corrections_np port_corrections_np;
	struct ptp_external_grandmaster_np external_grandmaster_np;
};

enum field_kind {
	FIELD_U8,
	FIELD_U16,
	FIELD_U32,
	FIELD_U48,
	FIELD_I8,
	FIELD_I16,
	FIELD_I32,
	FIELD_I64,
	FIELD_COUNTER,       /* 64 bits, little endian */
	FIELD_INTERVAL,      /* TimeInterval, ns here */
	FIELD_INTERVAL_HOST, /* the same in the byte order of the sender's machine */
	FIELD_SCALED_NS,
	FIELD_BOOL8,
	FIELD_BOOL32,
	FIELD_CLOCK_IDENTITY,
	FIELD_PORT_IDENTITY,
	FIELD_TEXT,
	FIELD_ADDRESS,  /* length and octets */
	FIELD_PROTOCOL, /* network protocol, length and octets */
	FIELD_OCTETS,   /* .size octets */
	FIELD_RECORDS,  /* a 16-bit count, then so many times .rows */
	FIELD_BIT,      /* a view of the .mask bit of an octet that another row carries */
	FIELD_PAD,      /* .size reserved octets: skipped, sent as zero */
	FIELD_KIND_MAX,
};

/* How a number is written; linuxptp's own form in each case */
enum field_style {
	STYLE_DECIMAL,
	STYLE_HEX,    /* 0x and as many digits as the kind has */
	STYLE_TENTHS, /* a TimeInterval with one decimal */
	STYLE_NAME,   /* its name, from .names */
	STYLE_TRUE_FALSE,
	STYLE_ON_OFF,
	STYLE_YES_NO,
	STYLE_RATE, /* a ratio scaled by 2^41 */
};

/* One member of a data set, in the order of the wire. */
struct field {
	const char *name;     /* of the struct's member; NULL: not for people */
	const char *standard; /* what linuxptp's pmc prints */
	const char *unit;     /* "ns", "s", "log2 s"; NULL: none */
	enum field_kind kind;
	enum field_style style;
	uint16_t offset; /* of the member in its struct */
	uint16_t size;   /* octets of FIELD_OCTETS and FIELD_PAD; most records of FIELD_RECORDS */
	uint8_t mask;    /* of FIELD_BIT */
	const struct ptp_name *names;
	/* FIELD_RECORDS only, whose .offset is the count (uint16_t): the rows of one record, ... */
	const struct field *rows;
	uint8_t n_rows;
	uint16_t stride;  /* the distance of two records in the struct */
	uint16_t records; /* where the first one is */
};

enum dataset_flags {
	DATASET_GET = 0x01,
	DATASET_SET = 0x02,
	DATASET_COMMAND = 0x04,
	DATASET_PORT = 0x08,       /* one answer per addressed port; else one per clock */
	DATASET_READ_WRITE = 0x10, /* data on the read-write UNIX socket only */
	DATASET_KEYED = 0x20,      /* a GET may carry the first field, which selects */
};

/* A management id. Ids that linuxptp knows by name and refuses have no flags but the scope. */
struct dataset {
	uint16_t id;
	unsigned int flags; /* enum dataset_flags */
	const char *name;
	size_t size;       /* of the struct */
	const char *since; /* first linuxptp version that answers; NULL: all of 3.1.1 and later */
	/* Where the layout comes from: a clause of the standard, or linuxptp. NULL without flags.
	 */
	const char *layout;
	const struct field *fields;
	size_t n_fields;
};

/* The row of an id, or NULL. */
PMC_EXPORT const struct dataset *pmc_dataset_find(uint16_t id);

/* The row of a name (case ignored), or NULL. */
PMC_EXPORT const struct dataset *pmc_dataset_by_name(const char *name);

/* All rows in the order of their ids; NULL from the last on. */
PMC_EXPORT const struct dataset *pmc_dataset_at(size_t index);

/* The field of a data set by either of its names (case ignored), or NULL. */
PMC_EXPORT const struct field *pmc_dataset_field(const struct dataset *ds, const char *name);

/*
 * Decode a body. *n_fields is how many leading rows were there: fewer than ds->n_fields if the
 * sender knows a shorter layout, and then the later members of *out are meaningless. A body longer
 * than the layout is accepted; the rest is the caller's to show.
 *
 * 0, or -EBADMSG if a field is cut or a length inside overruns. Outputs change only on success.
 */
PMC_EXPORT int pmc_dataset_decode(const struct dataset *ds, const uint8_t *body, size_t len,
				  union ptp_data *out, size_t *n_fields);

/*
 * Encode the first n_fields of a data set (ds->n_fields: all of it), padded to an even length. 0,
 * or -EMSGSIZE if it does not fit. *len changes only on success.
 */
PMC_EXPORT int pmc_dataset_encode(const struct dataset *ds, const union ptp_data *data,
				  size_t n_fields, uint8_t *body, size_t size, size_t *len);

/*
 * A field's value as linuxptp prints it. data is the struct that the field's offset counts from: a
 * union ptp_data, or one record of a FIELD_RECORDS. Returns buf; a value that does not fit is cut.
 */
PMC_EXPORT char *pmc_field_format(const struct field *f, const void *data, char *buf, size_t size);

/*
 * Read the value of a number, truth value, name, identity or text: what SETs are made of. Numbers
 * may be hexadecimal, and are accepted for a name too. 0; -EINVAL: not such a value, or a kind that
 * can't be set; -ERANGE: does not fit. *data changes only on success.
 */
PMC_EXPORT int pmc_field_parse(const struct field *f, const char *text, union ptp_data *data);

/*
 * A field as a number. True and *out for the kinds that are numbers, unless the style is a name
 * that the value has. A counter beyond INT64_MAX is INT64_MAX.
 */
PMC_EXPORT bool pmc_field_number(const struct field *f, const void *data, int64_t *out);
