"""Emits the events of one run by OpenLineage's own client, with facets of its own classes, over one of its transports."""

import json
import sys
from datetime import datetime, timedelta, timezone

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    column_lineage_dataset,
    data_quality_assertions_dataset,
    data_quality_metrics_input_dataset,
    documentation_dataset,
    documentation_job,
    error_message_run,
    job_type_job,
    lifecycle_state_change_dataset,
    nominal_time_run,
    output_statistics_output_dataset,
    ownership_job,
    parent_run,
    processing_engine_run,
    schema_dataset,
    sql_job,
)

PRODUCER = "https://shop.example/loader"
PARENT_RUN = "019ca6b1-dc00-7c48-ae7b-5b8d9e1b3313"
BEGIN = datetime(2026, 3, 1, 10, 0, tzinfo=timezone.utc)


def transport_of(kind, address, token):
    """The HTTP transport with compression, the asynchronous one, or both behind one another."""
    http = {
        "type": "http",
        "url": address,
        "compression": "gzip",
        "auth": {"type": "api_key", "apiKey": token},
    }
    if kind == "http":
        return http
    if kind == "async":
        return {**http, "type": "async_http"}
    return {"type": "composite", "continue_on_failure": False, "transports": {"first": http}}


def inputs(namespace):
    metrics = data_quality_metrics_input_dataset.ColumnMetrics(nullCount=0, distinctCount=3, min=1.0, max=3.0)
    return [
        InputDataset(
            namespace=namespace,
            name="shop.public.orders",
            facets={},
            inputFacets={
                "dataQualityMetrics": data_quality_metrics_input_dataset.DataQualityMetricsInputDatasetFacet(
                    columnMetrics={"id": metrics}, rowCount=3, bytes=100
                ),
                "dataQualityAssertions": data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet(
                    assertions=[
                        data_quality_assertions_dataset.Assertion(assertion="not_null", success=True, column="id"),
                        data_quality_assertions_dataset.Assertion(assertion="fresh", success=False, severity="warn"),
                    ]
                ),
            },
        )
    ]


def outputs(namespace):
    origin = column_lineage_dataset.InputField(namespace=namespace, name="shop.public.orders", field="amount")
    return [
        OutputDataset(
            namespace=namespace,
            name="shop.public.daily",
            facets={
                "documentation": documentation_dataset.DocumentationDatasetFacet(description="Revenue of each day."),
                "schema": schema_dataset.SchemaDatasetFacet(
                    fields=[
                        schema_dataset.SchemaDatasetFacetFields(
                            name="revenue", type="DECIMAL(10,2)", description="All that was paid."
                        )
                    ]
                ),
                "columnLineage": column_lineage_dataset.ColumnLineageDatasetFacet(
                    fields={"revenue": column_lineage_dataset.Fields(inputFields=[origin])}
                ),
                "lifecycleStateChange": lifecycle_state_change_dataset.LifecycleStateChangeDatasetFacet(
                    lifecycleStateChange=lifecycle_state_change_dataset.LifecycleStateChange.OVERWRITE
                ),
            },
            outputFacets={
                "outputStatistics": output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
                    rowCount=2, size=64
                )
            },
        )
    ]


def main(kind, address, token, namespace, run_id):
    client = OpenLineageClient(config={"transport": transport_of(kind, address, token)})
    job = Job(
        namespace="loader",
        name=f"{kind}_nightly.daily",
        facets={
            "documentation": documentation_job.DocumentationJobFacet(description="Adds up the orders."),
            "ownership": ownership_job.OwnershipJobFacet(owners=[ownership_job.Owner(name="user:admin")]),
            "jobType": job_type_job.JobTypeJobFacet(processingType="BATCH", integration="LOADER", jobType="TASK"),
            "sql": sql_job.SQLJobFacet(query="insert into daily select sum(amount) as revenue from orders"),
        },
    )
    parent = parent_run.ParentRunFacet(
        run=parent_run.Run(runId=PARENT_RUN), job=parent_run.Job(namespace="loader", name=f"{kind}_nightly")
    )
    facets = {
        "parent": parent,
        "nominalTime": nominal_time_run.NominalTimeRunFacet(nominalStartTime=BEGIN.isoformat()),
        "processing_engine": processing_engine_run.ProcessingEngineRunFacet(version="1.0", name="loader"),
    }
    failed = {
        "parent": parent,
        "errorMessage": error_message_run.ErrorMessageRunFacet(message="No mail.", programmingLanguage="python"),
    }
    events = [
        (RunState.START, 0, job, run_id, facets, [], []),
        (RunState.COMPLETE, 5, job, run_id, facets, inputs(namespace), outputs(namespace)),
        (RunState.FAIL, 6, Job("loader", f"{kind}_nightly.mail"), PARENT_RUN[:-1] + "4", failed, [], []),
    ]
    for state, minute, of, run, run_facets, read, written in events:
        time = (BEGIN + timedelta(minutes=minute)).isoformat()
        client.emit(
            RunEvent(
                eventType=state,
                eventTime=time,
                run=Run(runId=run, facets=run_facets),
                job=of,
                producer=PRODUCER,
                inputs=read,
                outputs=written,
            )
        )
    client.close(timeout=60)
    print(json.dumps({"done": len(events)}))


main(*sys.argv[1:])
