// SPDX-License-Identifier: GPL-2.0-or-later
/* org.varlink.service, which every server answers itself, and which method a request is for. */
#include <string.h>

#include "config.h"
#include "ptpmon/serve/varlink_impl.h"

#define SERVICE "org.varlink.service"

static void service_error(struct varlink_call *call, const char *name, const char *key,
			  const char *value)
{
	varlink_error(call, name, json_pack("{ss}", key, value));
}

void varlink_invalid_parameter(struct varlink_call *call, const char *parameter)
{
	service_error(call, SERVICE ".InvalidParameter", "parameter", parameter);
}

static const char service_description[] =
	"# What a Varlink service says about itself.\n"
	"interface " SERVICE "\n"
	"\n"
	"method GetInfo() -> (\n"
	"  vendor: string,\n"
	"  product: string,\n"
	"  version: string,\n"
	"  url: string,\n"
	"  interfaces: []string\n"
	")\n"
	"\n"
	"method GetInterfaceDescription(interface: string) -> (description: string)\n"
	"\n"
	"error InterfaceNotFound (interface: string)\n"
	"error MethodNotFound (method: string)\n"
	"error MethodNotImplemented (method: string)\n"
	"error InvalidParameter (parameter: string)\n"
	"error PermissionDenied ()\n"
	"error ExpectedMore ()\n";

static void get_info(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const struct varlink_server *s = call->client->server;
	const char *unexpected = json_object_iter_key(json_object_iter(parameters));
	json_t *names;

	if (unexpected) {
		varlink_invalid_parameter(call, unexpected);
		return;
	}
	names = json_array();
	(void)json_array_append_new(names, json_string(SERVICE));
	for (size_t i = 0; i < s->n_interfaces; i++)
		(void)json_array_append_new(names, json_string(s->interfaces[i].name));
	varlink_reply(call, json_pack("{ss ss ss ss so}", "vendor", "ptpmon", "product", "ptpmon",
				      "version", PTPMON_VERSION, "url", "", "interfaces", names));
}

static const struct varlink_interface *find_interface(const struct varlink_server *s,
						      const char *name);

static void get_interface_description(struct varlink_call *call, json_t *parameters, void *userdata)
{
	const char *name = json_string_value(json_object_get(parameters, "interface"));
	const struct varlink_interface *interface;

	if (!name || json_object_size(parameters) != 1) {
		varlink_invalid_parameter(call, "interface");
		return;
	}
	interface = find_interface(call->client->server, name);
	if (!interface)
		service_error(call, SERVICE ".InterfaceNotFound", "interface", name);
	else
		varlink_reply(call, json_pack("{ss}", "description", interface->description));
}

static const struct varlink_method service_methods[] = {
	{"GetInfo", get_info, 0},
	{"GetInterfaceDescription", get_interface_description, 0},
};

static const struct varlink_interface service_interface = {
	SERVICE, service_description, service_methods,
	sizeof(service_methods) / sizeof(service_methods[0])};

static const struct varlink_interface *find_interface(const struct varlink_server *s,
						      const char *name)
{
	if (strcmp(name, SERVICE) == 0)
		return &service_interface;
	for (size_t i = 0; i < s->n_interfaces; i++)
		if (strcmp(name, s->interfaces[i].name) == 0)
			return &s->interfaces[i];
	return NULL;
}

static const struct varlink_method *find_method(const struct varlink_interface *interface,
						const char *name)
{
	for (size_t i = 0; i < interface->n_methods; i++)
		if (strcmp(name, interface->methods[i].name) == 0)
			return &interface->methods[i];
	return NULL;
}

void varlink_dispatch(struct varlink_call *call, const char *full_name, json_t *parameters)
{
	struct varlink_server *s = call->client->server;
	char name[VARLINK_METHOD_MAX];
	char *dot;
	const struct varlink_interface *interface;
	const struct varlink_method *method;

	strcpy(name, full_name);
	dot = strrchr(name, '.');
	*dot = '\0';
	interface = find_interface(s, name);
	if (!interface) {
		service_error(call, SERVICE ".InterfaceNotFound", "interface", name);
		return;
	}
	method = find_method(interface, dot + 1);
	if (!method)
		service_error(call, SERVICE ".MethodNotFound", "method", full_name);
	else if (!method->handle)
		service_error(call, SERVICE ".MethodNotImplemented", "method", full_name);
	else if (method->flags & VARLINK_MORE && !call->more)
		varlink_error(call, SERVICE ".ExpectedMore", NULL);
	else if (method->flags & VARLINK_WRITES && !call->client->peer.may_write)
		varlink_error(call, SERVICE ".PermissionDenied", NULL);
	else
		method->handle(call, parameters, s->userdata);
}
