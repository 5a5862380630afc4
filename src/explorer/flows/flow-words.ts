import type { Schemas } from '../api/types.ts';

/** What the explorer says of where labels flow. */

export type Flows = Schemas['LabelFlows'];
export type FlowRow = Flows['data'][number];

/** What a list of flows may be limited to. */
export const FLOW_TARGETS = [
  { name: 'ends', title: 'Dashboards and models', types: 'dashboard,mlmodel' },
  { name: 'interfaces', title: 'APIs, topics and files', types: 'apiEndpoint,topic,container,searchIndex' },
  { name: 'tables', title: 'Tables', types: 'table' },
] as const;

export type FlowTargets = (typeof FLOW_TARGETS)[number];

export const findFlowTargets = (name: string | null): FlowTargets =>
  FLOW_TARGETS.find((one) => one.name === name) ?? FLOW_TARGETS[0];

/** How long the way is, and how many more there are, in words. */
export const describeFlow = ({ depth, ways }: Pick<FlowRow, 'depth' | 'ways'>): string => {
  const steps = depth === 1 ? 'directly' : `in ${depth} steps`;
  if (ways === 1) return steps;
  return `${steps}, ${ways.toLocaleString('en-US')} ways in all`;
};

/** What a list comes to, in a sentence. */
export const describeFlows = ({ sources, targets }: Flows['summary']): string => {
  const columns = sources === 1 ? 'One column gets' : `${sources.toLocaleString('en-US')} columns get`;
  return `${columns} to ${targets === 1 ? 'one of them' : `${targets.toLocaleString('en-US')} of them`}.`;
};
