import { nested, property } from '../model/attribute.ts';
import { defineKind } from '../model/kind.ts';
import { serviceKind } from '../model/service-values.ts';
import { LifeCycle, Text } from '../model/values.ts';

const TYPES = [
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
  serviceKind({
    entityType: 'pipelineService',
    label: 'PipelineService',
    path: 'services/pipelineServices',
    title: 'Pipeline services',
    index: 'pipeline_service_search_index',
    types: TYPES,
    more: {
      scheduleInterval: property(Text, { hidden: true }),
      lifeCycle: nested(LifeCycle, { hidden: true, onAbsent: 'keep' }),
    },
  }),
);
