import * as v from 'valibot';
import { Flag, Integer, listOf, must, Num, Ref, shape } from '../../values.ts';
import { InsightPaging } from './paging.ts';

const PromiseCheck = shape('PromiseCheck', {
  promised: must(v.nullable(Num)),
  upstream: must(v.nullable(Num)),
  holds: must(v.nullable(Flag)),
});

const PromiseWay = shape('PromiseWay', {
  path: must(listOf(Ref)),
  uncovered: must(listOf(Ref)),
  freshness: must(PromiseCheck),
  availability: must(PromiseCheck),
  unowned: must(listOf(Ref)),
});

export const PromisesAnswer = shape('Promises', {
  data: must(listOf(PromiseWay)),
  summary: must(shape('PromiseSummary', { paths: must(Integer), broken: must(Integer) })),
  paging: must(InsightPaging),
});
