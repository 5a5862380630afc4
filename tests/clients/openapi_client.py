"""Uses every lineage operation of the generated client, with the types of its answers.

Arguments: the address of the service, a token, and the full names of two tables that have the column `id`.
"""

import json
import sys
import uuid
from typing import TypeVar

from tributary_client import AuthenticatedClient, models
from tributary_client.api import lineage
from tributary_client.api.lineage import (
    delete_lineage_by_from_type_by_from_id_by_to_type_by_to_id as delete_edge,
    delete_lineage_by_from_type_name_by_from_fqn_by_to_type_name_by_to_fqn as delete_named_edge,
    delete_lineage_by_type_by_id_type_by_source as delete_source,
    delete_lineage_openlineage_namespaces as delete_namespace,
    delete_lineage_source_name_by_type_by_fqn_type_by_source as delete_named_source,
    get_lineage_agreement,
    get_lineage_by_type_by_id as get_lineage,
    get_lineage_by_type_name_by_fqn as get_named_lineage,
    get_lineage_diff,
    get_lineage_export,
    get_lineage_export_async,
    get_lineage_export_by_entity_count_async,
    get_lineage_get_data_quality_lineage,
    get_lineage_get_lineage,
    get_lineage_get_lineage_by_direction,
    get_lineage_get_lineage_by_entity_count,
    get_lineage_flows,
    get_lineage_get_lineage_edge_by_from_id_by_to_id as get_edge,
    get_lineage_get_lineage_edge_by_from_type_name_by_from_fqn_by_to_type_name_by_to_fqn as get_named_edge,
    get_lineage_get_pagination_info,
    get_lineage_get_platform_lineage,
    get_lineage_graph,
    get_lineage_health,
    get_lineage_impact,
    get_lineage_neighbours,
    get_lineage_openlineage_namespaces as list_namespaces,
    get_lineage_openlineage_unmatched as list_unmatched,
    get_lineage_paths,
    get_lineage_propagation,
    get_lineage_root_cause,
    get_lineage_scene,
    patch_lineage_by_from_type_by_from_id_by_to_type_by_to_id as patch_edge,
    patch_lineage_by_from_type_name_by_from_fqn_by_to_type_name_by_to_fqn as patch_named_edge,
    post_lineage,
    post_lineage_agreement_confirm,
    post_lineage_agreement_withdraw,
    post_lineage_batch,
    post_lineage_graph,
    post_lineage_hydrate,
    post_lineage_openlineage,
    post_lineage_openlineage_adopt,
    post_lineage_openlineage_batch,
    post_lineage_propagation_apply,
    post_lineage_sql,
    post_lineage_what_if,
    post_openlineage_lineage,
    put_lineage,
    put_lineage_bulk,
    put_lineage_by_from_type_name_by_from_fqn_by_to_type_name_by_to_fqn as put_named_edge,
    put_lineage_openlineage_namespaces as put_namespace,
    put_lineage_scope,
)

Answer = TypeVar("Answer")


def expect(answer: object, kind: type[Answer]) -> Answer:
    """The answer as the type that it must have; an error of the service ends the program."""
    if not isinstance(answer, kind):
        raise SystemExit(f"{kind.__name__} was expected, not {answer}")
    return answer


base_url, token, from_fqn, to_fqn = sys.argv[1:5]
client = AuthenticatedClient(base_url=base_url, token=token, raise_on_unexpected_status=True)


def table_id(fqn: str) -> uuid.UUID:
    found = expect(get_named_lineage.sync("table", fqn, client=client), models.EntityLineage)
    return uuid.UUID(str(found.entity.id))


from_id, to_id = table_id(from_fqn), table_id(to_fqn)
mapping = {"fromColumns": [f"{from_fqn}.id"], "toColumn": f"{to_fqn}.id"}
edge = {
    "fromEntity": {"id": str(from_id), "type": "table"},
    "toEntity": {"id": str(to_id), "type": "table"},
    "lineageDetails": {"columnsLineage": [mapping]},
}

# Writing edges.
written = expect(put_lineage.sync(client=client, body=models.AddLineage.from_dict({"edge": edge})), models.EntityLineage)
assert [str(one.to_entity) for one in written.downstream_edges or []] == [str(to_id)]
named = models.LineageDetailsInput.from_dict({"source": "ViewLineage", "columnsLineage": [mapping]})
assert put_named_edge.sync_detailed("table", from_fqn, "table", to_fqn, client=client, body=named).status_code == 200
bulk = expect(put_lineage_bulk.sync(client=client, body=[models.AddLineage.from_dict({"edge": edge})]), models.BulkResult)
assert bulk.number_of_rows_passed == 1
scope = {"source": "DbtLineage", "scopeFqn": to_fqn, "edges": [edge], "dryRun": True}
expect(put_lineage_scope.sync(client=client, body=models.LineageScope.from_dict(scope)), models.LineageScopeResult)


# The functions of `patch_edge` and `patch_named_edge` cannot send a list where a body has two media types, so patches go by
# the client below them.
def patch(path: str) -> models.LineageDetails:
    change = models.PatchOperation.from_dict({"op": "add", "path": "/description", "value": "by hand"})
    headers = {"Content-Type": "application/json-patch+json"}
    answer = client.get_httpx_client().patch(path, content=json.dumps([change.to_dict()]), headers=headers)
    return models.LineageDetails.from_dict(answer.raise_for_status().json())


patched = patch(f"/v1/lineage/table/{from_id}/table/{to_id}")
assert patched.description == "by hand"
patch(f"/v1/lineage/table/name/{from_fqn}/table/name/{to_fqn}")

# Reading one asset and one edge.
expect(get_lineage.sync("table", from_id, client=client, downstream_depth=2), models.EntityLineage)
expect(get_edge.sync(from_id, to_id, client=client), models.LineageEdge)
expect(get_named_edge.sync("table", from_fqn, "table", to_fqn, client=client), models.LineageEdge)

# The graph.
graph = expect(get_lineage_graph.sync(client=client, id=str(from_id), downstream_depth=1, columns=True), models.LineageGraph)
assert len(graph.column_edges) == 1
near = expect(get_lineage_neighbours.sync(client=client, id=str(from_id), side=models.GetLineageNeighboursSide.DOWNSTREAM), models.LineageNeighbours)
assert near.paging.total == len(near.nodes)
among = models.LineageAmongQuestion(ids=[str(from_id), str(to_id)])
joined = expect(post_lineage_graph.sync(client=client, body=among, assertions=True), models.LineageAmong)
assert [str(one.to_entity) for one in joined.edges] == [str(to_id)]
impact = expect(get_lineage_impact.sync(client=client, id=str(from_id), column="id"), models.LineageImpact)
assert impact.summary.entities == 1
paths = expect(get_lineage_paths.sync(client=client, from_=str(from_id), to=str(to_id)), models.LineagePaths)
assert [path.length for path in paths.paths] == [1]
expect(get_lineage_diff.sync(client=client, id=str(to_id), from_="2020-01-31", to="2020-02-01"), models.LineageDiff)
expect(get_lineage_health.sync(client=client, limit=1), models.LineageHealth)
expect(get_lineage_propagation.sync(client=client, tag="PII.Sensitive", limit=1), models.LabelPropagation)
expect(get_lineage_flows.sync(client=client, tag="PII", to_types="table"), models.LabelFlows)
labelling = models.ApplyPropagation(tag="PII.Sensitive", columns=[], dry_run=True)
expect(post_lineage_propagation_apply.sync(client=client, body=labelling), models.BulkResult)
log = models.SqlLog(service=from_fqn.split(".")[0], text="select 1")
assert expect(post_lineage_sql.sync(client=client, body=log), models.SqlLineage).understood == 1
removal = models.WhatIfChange(
    op=models.WhatIfChangeOp("removeEdge"),
    from_=models.EntityReference(id=str(from_id), type_="table"),
    to=models.EntityReference(id=str(to_id), type_="table"),
)
ask = [models.WhatIfAskItem("contracts"), models.WhatIfAskItem("impact")]
question = models.WhatIf(changes=[removal], ask=ask, id=str(from_id))
consequences = expect(post_lineage_what_if.sync(client=client, body=question), models.WhatIfAnswer)
assert expect(consequences.contracts, models.ContractCheckResult).verdict == "ok"
cause = expect(get_lineage_root_cause.sync(client=client, id=str(to_id)), models.RootCause)
assert cause.failures == []
agreement = expect(get_lineage_agreement.sync(client=client, scope=to_fqn), models.LineageAgreement)
assert len(agreement.data) == 1
ends = models.EdgeEndIds(from_=str(from_id), to=str(to_id))
confirmation = models.EdgeConfirmation(edges=[ends], dry_run=True)
expect(post_lineage_agreement_confirm.sync(client=client, body=confirmation), models.BulkResult)
withdrawal = models.EdgeWithdrawal(edges=[ends], dry_run=True)
expect(post_lineage_agreement_withdraw.sync(client=client, body=withdrawal), models.BulkResult)

# Lineage as a map, and as files.
expect(get_lineage_get_lineage.sync(client=client, fqn=from_fqn, type_="table"), models.SearchLineageResult)
expect(
    get_lineage_get_lineage_by_direction.sync("Downstream", client=client, fqn=from_fqn, type_="table"),
    models.SearchLineageResult,
)
expect(
    get_lineage_get_lineage_by_entity_count.sync(client=client, fqn=from_fqn, type_="table", direction="Downstream"),
    models.SearchLineageResult,
)
expect(
    get_lineage_get_pagination_info.sync(client=client, fqn=from_fqn, type_="table"), models.LineagePaginationInfo
)
expect(get_lineage_get_platform_lineage.sync(client=client, view="service"), models.SearchLineageResult)
expect(get_lineage_scene.sync(client=client, lens=models.GetLineageSceneLens.SERVICE), models.LineageScene)
expect(get_lineage_get_data_quality_lineage.sync(client=client, fqn=to_fqn), models.DataQualityLineage)
assert from_fqn in expect(get_lineage_export.sync(client=client, fqn=from_fqn, type_="table"), bytes).decode()
expect(get_lineage_export_async.sync(client=client, fqn=from_fqn, type_="table"), models.JobStart)
expect(
    get_lineage_export_by_entity_count_async.sync(
        client=client, fqn=from_fqn, type_="table", direction="Downstream"
    ),
    models.JobStart,
)
hydration = models.HydrateLineageRequest.from_dict({"entities": [{"id": str(to_id), "type": "table"}]})
expect(post_lineage_hydrate.sync(client=client, body=hydration), models.HydrateLineageResponse)

# OpenLineage.
namespace = f"generated-{uuid.uuid4()}"
event = models.OpenLineageEvent.from_dict({"dataset": {"namespace": namespace, "name": "people"}})
expect(post_lineage.sync(client=client, body=event), models.OpenLineageResult)
expect(post_openlineage_lineage.sync(client=client, body=event), models.OpenLineageResult)
expect(post_lineage_openlineage.sync(client=client, body=event), models.OpenLineageResult)
expect(post_lineage_openlineage_batch.sync(client=client, body=[event]), models.OpenLineageBatchResult)
assert post_lineage_batch.sync_detailed(client=client, body=[event]).status_code == 204
expect(list_unmatched.sync(client=client), models.UnmatchedNamespaceList)
service = from_fqn.split(".")[0]
meaning = {"namespace": namespace, "entity": {"type": "databaseService", "fullyQualifiedName": service}}
expect(put_namespace.sync(client=client, body=models.OpenLineageNamespace.from_dict(meaning)), models.OpenLineageNamespaceEntry)
expect(list_namespaces.sync(client=client), models.OpenLineageNamespaceList)
adoption = models.OpenLineageAdoption.from_dict({"namespace": namespace, "dryRun": True})
expect(post_lineage_openlineage_adopt.sync(client=client, body=adoption), models.OpenLineageAdoptionResult)
expect(delete_namespace.sync(client=client, namespace=namespace), models.OpenLineageNamespaceEntry)

# Removing lineage.
for deleted in (
    delete_source.sync_detailed("table", to_id, "ViewLineage", client=client),
    delete_named_source.sync_detailed("table", to_fqn, "DbtLineage", client=client),
    delete_edge.sync_detailed("table", from_id, "table", to_id, client=client),
):
    assert deleted.status_code == 200, deleted.content
missing = delete_named_edge.sync("table", from_fqn, "table", to_fqn, client=client)
assert expect(missing, models.ErrorBody).code == 404

used = sum(1 for name in list(globals()) if getattr(globals()[name], "__name__", "").startswith(f"{lineage.__name__}."))
print(json.dumps({"used": used}))
