"""Drives the service with the published OpenMetadata Python SDK; one line of JSON per kind tells how it went.

Usage: openmetadata_sdk.py ADDRESS TOKEN SUFFIX. Whatever the SDK's models refuse, and whatever comes back other than it
was sent, is a failure of the service.
"""

import json
import logging
import sys
from importlib import import_module

from metadata.generated.schema.entity.services.connections.metadata.openMetadataConnection import (
    AuthProvider,
    OpenMetadataConnection,
)
from metadata.generated.schema.security.client.openMetadataJWTClientConfig import OpenMetadataJWTClientConfig
from metadata.ingestion.ometa.ometa_api import OpenMetadata

logging.disable(logging.CRITICAL)
ADDRESS, TOKEN, SUFFIX = sys.argv[1:]
SCHEMA = "metadata.generated.schema"


def connect(token):
    return OpenMetadata(
        OpenMetadataConnection(
            hostPort=f"{ADDRESS}/api",
            authProvider=AuthProvider.openmetadata,
            securityConfig=OpenMetadataJWTClientConfig(jwtToken=token),
        )
    )


client = connect(TOKEN)
made = {}


def named(base):
    return f"{base}_{SUFFIX}"


def fqn(kind):
    return text(made[kind].fullyQualifiedName)


def text(value):
    """A text of the models is sometimes wrapped and sometimes not."""
    return getattr(value, "root", value)


def ref(kind, entity_type=None):
    return {"id": str(made[kind].id.root), "type": entity_type or kind}


def service(module, cls, service_type, config):
    return (
        f"entity.services.{module}",
        cls,
        f"api.services.create{cls}",
        f"Create{cls}Request",
        lambda: {
            "serviceType": service_type,
            "connection": {"config": config},
            "owners": [ref("user")],
            "tags": [label()],
        },
    )


def label():
    return {"tagFQN": fqn("tag"), "source": "Classification", "labelType": "Manual", "state": "Confirmed"}


def term():
    return {"tagFQN": fqn("glossaryTerm"), "source": "Glossary", "labelType": "Manual", "state": "Confirmed"}


def asset(body):
    """What every asset can carry, and its own members."""
    return lambda: {
        "description": "as sent",
        "displayName": "Shown",
        "owners": [ref("user")],
        "tags": [label()],
        "domains": [fqn("domain")],
        "dataProducts": [fqn("dataProduct")],
        **body(),
    }


def columns():
    return [
        {"name": "id", "dataType": "BIGINT", "constraint": "PRIMARY_KEY", "tags": [label()]},
        {
            "name": "address",
            "dataType": "STRUCT",
            "children": [{"name": "street", "dataType": "VARCHAR", "dataLength": 80, "tags": [term()]}],
        },
    ]


def fields():
    return [
        {
            "name": "Order",
            "dataType": "RECORD",
            "children": [{"name": "id", "dataType": "LONG", "tags": [label()]}],
        }
    ]


# kind: module and class of the record, module and class of the request, body. In the order of what needs what.
KINDS = {
    "policy": (
        "entity.policies.policy", "Policy", "api.policies.createPolicy", "CreatePolicyRequest",
        lambda: {"rules": [{"name": "look", "effect": "allow", "resources": ["table"], "operations": ["ViewAll"]}]},
    ),
    "role": (
        "entity.teams.role", "Role", "api.teams.createRole", "CreateRoleRequest",
        lambda: {"policies": [fqn("policy")]},
    ),
    "team": (
        "entity.teams.team", "Team", "api.teams.createTeam", "CreateTeamRequest",
        lambda: {"teamType": "Group", "defaultRoles": [ref("role")["id"]], "policies": [ref("policy")["id"]]},
    ),
    "user": (
        "entity.teams.user", "User", "api.teams.createUser", "CreateUserRequest",
        lambda: {"email": f"{named('user')}@tributary.example", "teams": [ref("team")["id"]], "roles": [ref("role")["id"]]},
    ),
    "botUser": (
        "entity.teams.user", "User", "api.teams.createUser", "CreateUserRequest",
        lambda: {
            "email": f"{named('botuser')}@tributary.example", "isBot": True,
            "authenticationMechanism": {"authType": "JWT", "config": {"JWTTokenExpiry": "Unlimited"}},
        },
    ),
    "bot": ("entity.bot", "Bot", "api.createBot", "CreateBot", lambda: {"botUser": fqn("botUser")}),
    "domain": (
        "entity.domains.domain", "Domain", "api.domains.createDomain", "CreateDomainRequest",
        lambda: {"domainType": "Aggregate", "experts": [fqn("user")], "owners": [ref("user")], "style": {"color": "#112233"}},
    ),
    "dataProduct": (
        "entity.domains.dataProduct", "DataProduct", "api.domains.createDataProduct", "CreateDataProductRequest",
        lambda: {"domains": [fqn("domain")], "experts": [fqn("user")], "owners": [ref("user")]},
    ),
    "classification": (
        "entity.classification.classification", "Classification",
        "api.classification.createClassification", "CreateClassificationRequest",
        lambda: {"mutuallyExclusive": False},
    ),
    "tag": (
        "entity.classification.tag", "Tag", "api.classification.createTag", "CreateTagRequest",
        lambda: {"classification": fqn("classification"), "style": {"color": "#445566"}},
    ),
    "glossary": (
        "entity.data.glossary", "Glossary", "api.data.createGlossary", "CreateGlossaryRequest",
        lambda: {"owners": [ref("user")], "tags": [label()]},
    ),
    "glossaryTerm": (
        "entity.data.glossaryTerm", "GlossaryTerm", "api.data.createGlossaryTerm", "CreateGlossaryTermRequest",
        lambda: {
            "glossary": fqn("glossary"), "synonyms": ["other"],
            "references": [{"name": "source", "endpoint": "https://example.org/term"}],
        },
    ),
    "databaseService": service("databaseService", "DatabaseService", "Postgres", {
        "type": "Postgres", "username": "reader", "hostPort": "localhost:5432", "database": "shop", "authType": {"password": "s"},
    }),
    "messagingService": service("messagingService", "MessagingService", "Kafka", {"type": "Kafka", "bootstrapServers": "localhost:9092"}),
    "dashboardService": service("dashboardService", "DashboardService", "Metabase", {
        "type": "Metabase", "hostPort": "http://localhost:3000", "username": "reader", "password": "s",
    }),
    "pipelineService": service("pipelineService", "PipelineService", "Airflow", {
        "type": "Airflow", "hostPort": "http://localhost:8080", "connection": {"type": "Backend"},
    }),
    "mlmodelService": service("mlmodelService", "MlModelService", "Mlflow", {
        "type": "Mlflow", "trackingUri": "http://localhost:5000", "registryUri": "http://localhost:5000",
    }),
    "storageService": service("storageService", "StorageService", "S3", {
        "type": "S3", "awsConfig": {"awsRegion": "eu-central-1", "awsSecretAccessKey": "s"},
    }),
    "searchService": service("searchService", "SearchService", "OpenSearch", {"type": "OpenSearch", "hostPort": "http://localhost:9200"}),
    "apiService": service("apiService", "ApiService", "Rest", {
        "type": "Rest", "openAPISchemaConnection": {"openAPISchemaURL": "http://localhost/openapi.json"},
    }),
    "driveService": service("driveService", "DriveService", "CustomDrive", {"type": "CustomDrive"}),
    "database": (
        "entity.data.database", "Database", "api.data.createDatabase", "CreateDatabaseRequest",
        asset(lambda: {"service": fqn("databaseService"), "retentionPeriod": "P30D"}),
    ),
    "databaseSchema": (
        "entity.data.databaseSchema", "DatabaseSchema", "api.data.createDatabaseSchema", "CreateDatabaseSchemaRequest",
        asset(lambda: {"database": fqn("database")}),
    ),
    "table": (
        "entity.data.table", "Table", "api.data.createTable", "CreateTableRequest",
        asset(lambda: {
            "databaseSchema": fqn("databaseSchema"), "tableType": "Regular", "columns": columns(),
            "tableConstraints": [{"constraintType": "UNIQUE", "columns": ["id"]}],
            "tablePartition": {"columns": [{"columnName": "id", "intervalType": "COLUMN-VALUE"}]},
            "extension": {named("note"): "kept"},
        }),
    ),
    "storedProcedure": (
        "entity.data.storedProcedure", "StoredProcedure", "api.data.createStoredProcedure", "CreateStoredProcedureRequest",
        asset(lambda: {
            "databaseSchema": fqn("databaseSchema"), "storedProcedureCode": {"language": "SQL", "code": "SELECT 1"},
        }),
    ),
    "query": (
        "entity.data.query", "Query", "api.data.createQuery", "CreateQueryRequest",
        lambda: {
            "query": f"SELECT '{SUFFIX}'", "service": fqn("databaseService"), "queryUsedIn": [ref("table")],
            "users": [fqn("user")], "duration": 1.5,
        },
    ),
    "topic": (
        "entity.data.topic", "Topic", "api.data.createTopic", "CreateTopicRequest",
        asset(lambda: {
            "service": fqn("messagingService"), "partitions": 3, "cleanupPolicies": ["delete"],
            "messageSchema": {"schemaType": "Avro", "schemaText": "{}", "schemaFields": fields()},
        }),
    ),
    "pipeline": (
        "entity.data.pipeline", "Pipeline", "api.data.createPipeline", "CreatePipelineRequest",
        asset(lambda: {
            "service": fqn("pipelineService"), "scheduleInterval": "0 1 * * *", "sourceUrl": "http://localhost/dag",
            "tasks": [{"name": "load", "taskType": "SQL", "tags": [label()], "downstreamTasks": []}],
        }),
    ),
    "container": (
        "entity.data.container", "Container", "api.data.createContainer", "CreateContainerRequest",
        asset(lambda: {
            "service": fqn("storageService"), "prefix": "/a", "numberOfObjects": 3, "size": 12, "fullPath": "s3://a",
            "fileFormats": ["csv", "parquet"], "dataModel": {"isPartitioned": True, "columns": columns()},
        }),
    ),
    "chart": (
        "entity.data.chart", "Chart", "api.data.createChart", "CreateChartRequest",
        asset(lambda: {"service": fqn("dashboardService"), "chartType": "Line"}),
    ),
    "dashboardDataModel": (
        "entity.data.dashboardDataModel", "DashboardDataModel",
        "api.data.createDashboardDataModel", "CreateDashboardDataModelRequest",
        asset(lambda: {"service": fqn("dashboardService"), "dataModelType": "MetabaseDataModel", "columns": columns()}),
    ),
    "dashboard": (
        "entity.data.dashboard", "Dashboard", "api.data.createDashboard", "CreateDashboardRequest",
        asset(lambda: {
            "service": fqn("dashboardService"), "charts": [fqn("chart")], "dataModels": [fqn("dashboardDataModel")],
        }),
    ),
    "mlmodel": (
        "entity.data.mlmodel", "MlModel", "api.data.createMlModel", "CreateMlModelRequest",
        asset(lambda: {
            "service": fqn("mlmodelService"), "algorithm": "trees", "dashboard": fqn("dashboard"),
            "mlHyperParameters": [{"name": "depth", "value": "3"}],
            "mlFeatures": [{
                "name": "age", "dataType": "numerical", "tags": [label()],
                "featureSources": [{"name": "id", "dataType": "number", "dataSource": ref("table")}],
            }],
        }),
    ),
    "directory": (
        "entity.data.directory", "Directory", "api.data.createDirectory", "CreateDirectoryRequest",
        asset(lambda: {
            "service": fqn("driveService"), "directoryType": "Folder", "path": "/reports", "isShared": True,
            "numberOfFiles": 1, "numberOfSubDirectories": 0, "totalSize": 12, "sourceUrl": "http://localhost/reports",
        }),
    ),
    "file": (
        "entity.data.file", "File", "api.data.createFile", "CreateFileRequest",
        asset(lambda: {
            "service": fqn("driveService"), "directory": fqn("directory"), "fileType": "CSV", "mimeType": "text/csv",
            "fileExtension": "csv", "path": "/reports/sales.csv", "size": 12, "checksum": "abc", "fileVersion": "2",
            "webViewLink": "http://localhost/sales", "downloadLink": "http://localhost/sales.csv", "columns": columns(),
        }),
    ),
    "metric": (
        "entity.data.metric", "Metric", "api.data.createMetric", "CreateMetricRequest",
        asset(lambda: {
            "metricExpression": {"language": "SQL", "code": "SELECT 1"}, "metricType": "COUNT", "granularity": "DAY",
            "unitOfMeasurement": "OTHER", "customUnitOfMeasurement": "books", "reviewers": [ref("user")],
            "dimensions": [{"name": "shop", "type": "CATEGORICAL"}], "measures": [{"name": "books", "aggregation": "sum"}],
            "filters": [{"where": "paid"}],
        }),
    ),
    "searchIndex": (
        "entity.data.searchIndex", "SearchIndex", "api.data.createSearchIndex", "CreateSearchIndexRequest",
        asset(lambda: {
            "service": fqn("searchService"),
            "fields": [{"name": "o", "dataType": "NESTED", "children": [{"name": "id", "dataType": "KEYWORD", "tags": [label()]}]}],
        }),
    ),
    "apiCollection": (
        "entity.data.apiCollection", "APICollection", "api.data.createAPICollection", "CreateAPICollectionRequest",
        asset(lambda: {"service": fqn("apiService"), "endpointURL": "http://localhost/orders"}),
    ),
    "apiEndpoint": (
        "entity.data.apiEndpoint", "APIEndpoint", "api.data.createAPIEndpoint", "CreateAPIEndpointRequest",
        asset(lambda: {
            "apiCollection": fqn("apiCollection"), "endpointURL": "http://localhost/orders", "requestMethod": "POST",
            "requestSchema": {"schemaType": "JSON", "schemaFields": fields()},
            "responseSchema": {"schemaType": "JSON", "schemaFields": fields()},
        }),
    ),
}


# How a bot signs in is read by an operation of its own.
NEVER_SHOWN = {"authenticationMechanism"}


def load(kind):
    module, name, request_module, request_name, body = KINDS[kind]
    record = getattr(import_module(f"{SCHEMA}.{module}"), name)
    request = getattr(import_module(f"{SCHEMA}.{request_module}"), request_name)
    return record, request, body


def plain(value):
    return json.loads(value.model_dump_json(by_alias=True, exclude_none=True))


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def walk(kind):
    """Create, read by id and by name with all fields, list, send again, patch."""
    record, request, body = load(kind)
    sent = request(name=named(kind).lower(), **{"description": "as sent", **body()})
    created = client.create(sent)
    made[kind] = created
    for found in (
        client.get_by_id(record, created.id, fields=["*"], nullable=False),
        client.get_by_name(record, fqn(kind), fields=["*"], nullable=False),
    ):
        check(found.id == created.id, "another record was read")
    lost = [
        member
        for member, value in plain(sent).items()
        if value not in ([], {}) and member not in NEVER_SHOWN and member in record.model_fields and member not in plain(found)
    ]
    check(not lost, f"sent and not returned: {lost}")
    after, ids = None, set()
    while True:
        page = client.list_entities(record, fields=["*"], limit=500, after=after)
        ids.update(str(one.id.root) for one in page.entities)
        after = page.after
        if not after:
            break
    check(str(created.id.root) in ids, "missing in the list")
    again = client.create_or_update(sent)
    check(again.id == created.id and again.version == created.version, "the same request changed the record")
    wished = found.model_copy(deep=True)
    wished.description = type(found.description)("patched")
    patched = client.patch(record, found, wished, skip_on_failure=False)
    check(patched and text(patched.description) == "patched", "the description was not patched")
    check(patched.version.root > created.version.root, "the patch did not step the version")
    versions = client.get_list_entity_versions(created.id, record)
    check(len(versions.versions) == 2, f"{len(versions.versions)} versions instead of 2")
    client.get_entity_version(record, created.id, created.version.root)


def custom_property():
    from metadata.generated.schema.api.data.createCustomProperty import CreateCustomPropertyRequest
    from metadata.generated.schema.entity.data.table import Table
    from metadata.ingestion.models.custom_properties import CustomPropertyDataTypes, OMetaCustomProperties

    client.create_or_update_custom_property(
        OMetaCustomProperties(
            entity_type=Table,
            createCustomPropertyRequest=CreateCustomPropertyRequest(
                name=named("note"),
                description="a note",
                propertyType=client.get_property_type_ref(CustomPropertyDataTypes.STRING),
            ),
        )
    )
    names = [one["name"] for one in client.get_entity_custom_properties(Table)]
    check(named("note") in names, "the property is not listed")


def pipeline_status():
    from metadata.generated.schema.entity.data.pipeline import PipelineStatus, StatusType, TaskStatus
    from metadata.generated.schema.type.basic import Timestamp

    def status(moment):
        task = TaskStatus(name="load", executionStatus=StatusType.Successful)
        return PipelineStatus(timestamp=Timestamp(moment), executionStatus=StatusType.Successful, taskStatus=[task])

    answered = client.add_pipeline_status(fqn("pipeline"), status(1_700_000_000_000))
    check(answered.pipelineStatus.timestamp.root == 1_700_000_000_000, "the status is not the newest")
    client.add_bulk_pipeline_status(fqn("pipeline"), [status(1_700_000_100_000)])
    listed = client.list_pipeline_statuses(fqn("pipeline"), 1_600_000_000_000, 1_800_000_000_000)
    check(len(listed) == 2, f"{len(listed)} runs instead of 2")


def column_edits():
    from metadata.generated.schema.entity.data.table import Table

    column = f"{fqn('table')}.address.street"
    table = client.get_by_name(Table, fqn("table"), fields=["*"], nullable=False)
    check(client.patch_column_description(table, column, "the street", force=True), "the column was not described")
    read = client.get_by_name(Table, fqn("table"), fields=["tags"], nullable=False)
    street = next(one for one in read.columns if one.name.root == "address").children[0]
    check(street.description.root == "the street", "the description of the column is lost")
    check(street.tags[0].tagFQN.root == fqn("glossaryTerm"), "the term of the column is lost")


def who_am_i(token):
    return connect(token).client.get("/users/loggedInUser")["name"]


def bot_token():
    """As ingestion does it: the bot's user was made with the wish for a token, which is read and signed in with."""
    from metadata.generated.schema.auth.jwtAuth import JWTAuthMechanism
    from metadata.generated.schema.entity.teams.user import AuthenticationMechanism, AuthType

    def read():
        return client.get_by_id(AuthenticationMechanism, made["botUser"].id, nullable=False)

    first = read()
    check(first.authType == AuthType.JWT, f"the bot signs in by {first.authType}")
    token = first.config.JWTToken.get_secret_value()
    check(read().config.JWTToken.get_secret_value() == token, "the token changes from reading to reading")
    check(who_am_i(token) == fqn("botUser"), "the token is somebody else's")
    path = f"/users/generateToken/{made['botUser'].id.root}"
    latest = JWTAuthMechanism(**client.client.put(path, json.dumps({"JWTTokenExpiry": "7"})))
    check(latest.JWTTokenExpiresAt.root > 0, "the token has no end")
    check(who_am_i(latest.JWTToken.get_secret_value()) == fqn("botUser"), "the new token is somebody else's")


def personal_token():
    from metadata.generated.schema.auth.personalAccessToken import PersonalAccessToken

    sent = {"tokenName": named("script"), "JWTTokenExpiry": "1"}
    made_one = PersonalAccessToken(**client.client.put("/users/security/token", json.dumps(sent)))
    check(who_am_i(made_one.jwtToken) == "admin", "the token is somebody else's")
    listed = [PersonalAccessToken(**one) for one in client.client.get("/users/security/token")["data"]]
    check(made_one.token in [one.token for one in listed], "the token is not listed")
    left = client.client.put("/users/security/token/revoke", json.dumps({"tokenIds": [str(made_one.token.root)]}))
    check(left["data"] == [], "the token is still there")


def lineage():
    """As ingestion does it: put, put again with more columns as a patch, read both ways, take back."""
    from metadata.generated.schema.api.lineage.addLineage import AddLineageRequest
    from metadata.generated.schema.type.entityLineage import (
        ColumnLineage,
        EntitiesEdge,
        EntityLineage,
        LineageDetails,
        Source,
    )
    from metadata.generated.schema.type.entityReference import EntityReference

    def request(sql, *mappings):
        details = LineageDetails(
            sqlQuery=sql,
            source=Source.QueryLineage,
            pipeline=EntityReference(**ref("pipeline")),
            columnsLineage=[ColumnLineage(fromColumns=[source], toColumn=target) for source, target in mappings],
        )
        ends = {"fromEntity": EntityReference(**ref("table")), "toEntity": EntityReference(**ref("container"))}
        return AddLineageRequest(edge=EntitiesEdge(**ends, lineageDetails=details))

    def column(kind, name):
        return f"{fqn(kind)}.{name}"

    first = (column("table", "id"), column("container", "id"))
    second = (column("table", "address.street"), column("container", "address.street"))
    unknown = (column("table", "nothing"), column("container", "id"))
    answered = client.add_lineage(request("insert one", first, unknown))
    check("error" not in answered, answered.get("error"))
    graph = EntityLineage(**answered)
    check(graph.downstreamEdges[0].toEntity.root == made["container"].id.root, "the edge leads somewhere else")
    again = client.add_lineage(request("insert two", second), check_patch=True)
    check("error" not in again, again.get("error"))
    edge = client.get_lineage_edge_by_name("table", fqn("table"), "container", fqn("container"))["edge"]
    details = LineageDetails(**edge)
    check(details.sqlQuery.root == "insert two", f"the query is {details.sqlQuery}")
    mapped = sorted(mapping.toColumn.root for mapping in details.columnsLineage)
    check(mapped == sorted([first[1], second[1]]), f"the columns are {mapped}")
    check(str(details.pipeline.id.root) == str(made["pipeline"].id.root), "the pipeline is lost")
    up = EntityLineage(**client.get_lineage_by_name("container", fqn("container"), up_depth=3, down_depth=0))
    check([str(node.id.root) for node in up.nodes] == [str(made["table"].id.root)], "the upstream is another one")
    run = EntityLineage(**client.get_lineage_by_id("pipeline", made["pipeline"].id))
    check(len(run.upstreamEdges) == 1 and len(run.downstreamEdges) == 1, "the pipeline does not lie between the two")
    client.delete_lineage_by_source("container", str(made["container"].id.root), "QueryLineage")
    check(not client.get_lineage_by_id("table", made["table"].id)["nodes"], "the edge is still there")
    named_edge = ("table", fqn("container"), "container")
    client.add_lineage_by_name(fqn("table"), *named_edge)
    check(client.get_lineage_by_id("table", made["table"].id)["nodes"], "the edge by name is not there")
    client.delete_lineage_edge(request("x").edge)
    check(not client.get_lineage_by_id("table", made["table"].id)["nodes"], "the edge was not removed")


def remove(kind):
    record, _, _ = load(kind)
    client.delete(record, made[kind].id, recursive=True, hard_delete=True)
    check(client.get_by_id(record, made[kind].id) is None, "still there")


def tell(case, action):
    try:
        action()
        print(json.dumps({"case": case, "failure": None}), flush=True)
    except BaseException as failure:  # every failure is told; the next case may still pass
        print(json.dumps({"case": case, "failure": f"{type(failure).__name__}: {failure}"[:2000]}), flush=True)


tell("custom properties", custom_property)
for one in KINDS:
    tell(f"{one}: create, read, list, patch", lambda: walk(one))
tell("pipeline: status", pipeline_status)
tell("table: columns", column_edits)
tell("lineage: put, patch, read, take back", lineage)
tell("bot: sign in", bot_token)
tell("personal token: make, use, revoke", personal_token)
for one in reversed(KINDS):
    if one in made:
        tell(f"{one}: delete", lambda: remove(one))
print(json.dumps({"done": True}), flush=True)
