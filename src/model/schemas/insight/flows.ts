import * as v from 'valibot';
import { Flag, Fqn, Integer, listOf, must, Ref, shape } from '../../values.ts';
import { InsightPaging } from './paging.ts';
import { InsightColumn } from './propagation.ts';

/** The schemas of answers about where labels flow. */

const LabelFlowRow = shape('LabelFlowRow', {
  source: must(InsightColumn),
  target: must(Ref),
  depth: must(Integer),
  path: must(listOf(Fqn)),
  ways: must(Integer),
  certain: must(Flag),
});

const LabelFlowGroup = shape('LabelFlowGroup', {
  key: must(v.nullable(Fqn)),
  targets: must(Integer),
  ways: must(Integer),
});

export const LabelFlows = shape('LabelFlows', {
  data: must(listOf(LabelFlowRow)),
  groups: must(listOf(LabelFlowGroup)),
  paging: must(InsightPaging),
  summary: must(shape('LabelFlowSummary', { sources: must(Integer), targets: must(Integer), ways: must(Integer) })),
});
