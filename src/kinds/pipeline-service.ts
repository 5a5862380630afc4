import { nested, property } from '../model/kind/attribute.ts';
import { defineKind } from '../model/kind/kind.ts';
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

export const pipelineService = defineKind(
  declareServiceKind({
    entityType: 'pipelineService',
    label: 'PipelineService',
    path: 'services/pipelineServices',
    title: 'Pipeline services',
    index: 'pipeline_service_search_index',
    types: PIPELINE_SERVICE_TYPES,
    extraAttributes: {
      scheduleInterval: property(Text, { hidden: true }),
      lifeCycle: nested(LifeCycle, { hidden: true, onAbsent: 'keep' }),
    },
  }),
);
