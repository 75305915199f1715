/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kernel threads serve a port, on boards as they are. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ptpmon/supervise/port_threads.h"
#include "tree-fixture.h"

static void kernel_thread(int tid, const char *name)
{
	plant_thread(&(struct planted_thread){
		.pid = tid, .name = name, .kernel = 1, .policy = SCHED_FIFO, .priority = 50});
}

/* "irq/201-eth0-rxtx0 irq/202-…" of what is found for that port. */
static const char *found(const char *interface, int phc_index)
{
	static char line[1024];
	struct port_thread threads[PORT_THREADS_MAX];
	struct port_name port = {.phc_index = phc_index};
	size_t len = 0;
	ssize_t n;

	(void)snprintf(port.interface, sizeof(port.interface), "%s", interface);
	n = port_threads_find(tree(), &port, 1, threads, PORT_THREADS_MAX);
	assert_true(n >= 0);
	line[0] = '\0';
	for (ssize_t i = 0; i < n; i++)
		len += (size_t)snprintf(line + len, sizeof(line) - len, "%s%s:%s", i ? " " : "",
					port_thread_kind_name(threads[i].kind), threads[i].name);
	return line;
}

/* An ENETC port: a PCI function with MSI-X, its PTP timer another function with no link to it. */
static void plant_enetc(void)
{
	plant_directory("/sys/class/net/eth0");
	plant_link("/sys/class/net/eth0/device", "../0002:00:00.0");
	plant("/sys/class/net/0002:00:00.0/msi_irqs/201", "msix\n");
	plant("/sys/class/net/0002:00:00.0/msi_irqs/202", "msix\n");
	plant("/sys/class/net/eth01/mtu", "1500\n");
	kernel_thread(61, "irq/201-eth0-rxtx0");
	kernel_thread(62, "irq/202-eth0-rxtx1");
	kernel_thread(63, "irq/203-eth01-rxtx0");
	kernel_thread(64, "irq/20-x");
	kernel_thread(65, "irq/2010-x");
	kernel_thread(66, "napi/eth0-8193");
	kernel_thread(67, "napi/eth0-1-8194");
	kernel_thread(68, "ptp0");
	kernel_thread(69, "ptp1");
	kernel_thread(70, "kworker/0:1-eth0");
	kernel_thread(71, "ksoftirqd/0");
	plant("/proc/interrupts",
	      "           CPU0       CPU1\n"
	      "201:         14          0  ITS-MSI 1048577 Edge      eth0-rxtx0\n"
	      "203:          1          0  ITS-MSI 1048579 Edge      eth01-rxtx0\n"
	      " 20:          1          0  GICv3  20 Level     mmc0\n"
	      "IPI0:      1234       4321  Rescheduling interrupts eth0\n"
	      "Err:          0\n");
}

static void an_enetc_port_has_its_vectors(void **state)
{
	plant_enetc();
	assert_string_equal(found("eth0", 1), "irq:irq/201-eth0-rxtx0 irq:irq/202-eth0-rxtx1 "
					      "napi:napi/eth0-8193 ptp:ptp1");
	/* without a known clock it is the device's own, and this one has none */
	assert_string_equal(found("eth0", -1), "irq:irq/201-eth0-rxtx0 irq:irq/202-eth0-rxtx1 "
					       "napi:napi/eth0-8193");
}

static void a_name_that_begins_alike_is_another(void **state)
{
	assert_string_equal(found("eth01", -1), "irq:irq/203-eth01-rxtx0");
	assert_string_equal(found("eth0-1", -1), ""); /* there is no such interface */
	assert_string_equal(found("eth7", 0), "");
}

static void a_platform_device_is_found_by_its_action(void **state)
{
	plant_directory("/sys/class/net/end0");
	plant_link("/sys/class/net/end0/device", "../30be0000.ethernet");
	plant_directory("/sys/class/net/30be0000.ethernet");
	plant_directory("/sys/class/net/30be0000.ethernet/ptp");
	plant_directory("/sys/class/net/30be0000.ethernet/ptp/ptp3");
	plant("/proc/interrupts", "      CPU0\n"
				  " 55:  14  GICv3 150 Level  30be0000.ethernet\n"
				  " 56:  14  GICv3 151 Level  mmc1, 30be0000.ethernet, x\n"
				  " 57:  14  GICv3 152 Level  30be00000.ethernet\n");
	kernel_thread(80, "irq/55-30be0000.ethernet");
	kernel_thread(81, "irq/56-s-30be0000.ethernet"); /* the second half of a shared one */
	kernel_thread(82, "irq/57-30be00000.ethernet");
	kernel_thread(83, "ptp3");
	assert_string_equal(found("end0", -1),
			    "irq:irq/55-30be0000.ethernet irq:irq/56-s-30be0000.ethernet ptp:ptp3");
}

static void a_vlan_stands_on_its_port(void **state)
{
	plant("/sys/class/net/end0.5/mtu", "1500\n");
	plant_link("/sys/class/net/end0.5/lower_end0", "../end0");
	plant_link("/sys/class/net/end0/upper_end0.5", "../end0.5");
	assert_string_equal(found("end0.5", -1),
			    "irq:irq/55-30be0000.ethernet irq:irq/56-s-30be0000.ethernet ptp:ptp3");
}

static void a_program_is_no_kernel_thread(void **state)
{
	plant_thread(&(struct planted_thread){.pid = 90, .name = "irq/55-fake"});
	plant_thread(&(struct planted_thread){.pid = 91, .name = "napi/end0-7"});
	plant_thread(&(struct planted_thread){.pid = 92, .name = "ptp3"});
	assert_string_equal(found("end0", -1),
			    "irq:irq/55-30be0000.ethernet irq:irq/56-s-30be0000.ethernet ptp:ptp3");
}

/* eth0 of another network namespace has the same name, but not the same NAPI. */
static void a_known_napi_counts_by_its_number(void **state)
{
	struct port_name port = {.interface = "eth0", .phc_index = -1, .napi_known = true};
	struct port_map map;

	port_map_read(&map, tree(), &port, 1);
	assert_int_equal(port_map_kind(&map, "napi/eth0-8193"), PORT_THREAD_KIND_MAX);
	port.n_napi = 2;
	port.napi[0] = 8195;
	port.napi[1] = 8193;
	port_map_read(&map, tree(), &port, 1);
	assert_int_equal(port_map_kind(&map, "napi/eth0-8193"), PORT_THREAD_NAPI);
	assert_int_equal(port_map_kind(&map, "napi/renamed-8195"), PORT_THREAD_NAPI);
	assert_int_equal(port_map_kind(&map, "napi/eth0-8194"), PORT_THREAD_KIND_MAX);
}

static void no_more_are_written_than_there_is_room_for(void **state)
{
	struct port_name port = {.interface = "end0", .phc_index = -1};
	struct port_thread one[1];

	assert_int_equal(port_threads_find(tree(), &port, 1, one, 1), 1);
	assert_true(port_threads_find("/no/such/root", &port, 1, one, 1) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_enetc_port_has_its_vectors),
		cmocka_unit_test(a_name_that_begins_alike_is_another),
		cmocka_unit_test(a_platform_device_is_found_by_its_action),
		cmocka_unit_test(a_vlan_stands_on_its_port),
		cmocka_unit_test(a_program_is_no_kernel_thread),
		cmocka_unit_test(a_known_napi_counts_by_its_number),
		cmocka_unit_test(no_more_are_written_than_there_is_room_for),
	};

	return cmocka_run_group_tests_name("port-threads", tests, make_tree, remove_tree);
}
