import { nested, property } from '../model/kind/attribute.ts';
import { defineKind } from '../model/kind/kind.ts';
import type { ConnectionSteps } from '../model/schemas/services/connection-steps.ts';
import { declareServiceKind } from '../model/schemas/services/service.ts';
import { LifeCycle, Text } from '../model/values.ts';

const PIPELINE_SERVICE_TYPES = [
  'Airflow',
  'GluePipeline',
  'KinesisFirehose',
  'Airbyte',
  'Fivetran',
  'Flink',
  'Dagster',
  'Nifi',
  'DomoPipeline',
  'CustomPipeline',
  'DatabricksPipeline',
  'Spline',
  'Spark',
  'OpenLineage',
  'Prefect',
  'KafkaConnect',
  'DBTCloud',
  'Matillion',
  'Stitch',
  'DataFactory',
  'Wherescape',
  'SSIS',
  'Snowplow',
  'Mulesoft',
  'MicrosoftFabricPipeline',
  'SapBw4HanaPipeline',
] as const;

const USUAL_STEPS = ['GetPipelines'] as const;

/** What the connectors of these types know. */
const STEPS_OF_TYPE = {
  Airflow: ['CheckAccess', 'PipelineDetailsAccess', 'TaskDetailAccess'],
  DBTCloud: ['CheckAccess', 'GetJobs', 'GetRuns'],
  DatabricksPipeline: [...USUAL_STEPS, 'GetLineage'],
  KafkaConnect: ['GetClusterInfo', 'GetPipelines', 'GetPlugins', 'CheckConfluentTelemetry'],
  OpenLineage: ['CheckBrokerConnectivity'],
  Prefect: ['CheckAccess', 'GetPipelines'],
} as const satisfies ConnectionSteps;

export const pipelineService = defineKind(
  declareServiceKind({
    entityType: 'pipelineService',
    label: 'PipelineService',
    path: 'services/pipelineServices',
    title: 'Pipeline services',
    index: 'pipeline_service_search_index',
    types: PIPELINE_SERVICE_TYPES,
    steps: { usual: USUAL_STEPS, ofType: STEPS_OF_TYPE },
    extraAttributes: {
      scheduleInterval: property(Text, { hidden: true }),
      lifeCycle: nested(LifeCycle, { hidden: true, onAbsent: 'keep' }),
    },
  }),
);
