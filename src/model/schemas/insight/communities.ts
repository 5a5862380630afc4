import * as v from 'valibot';
import { Fraction, Integer, listOf, must, Ref, shape, Text, Uuid } from '../../values.ts';
import { InsightPaging } from './paging.ts';

const LineageCommunity = shape('LineageCommunity', {
  id: must(Uuid),
  size: must(Integer),
  members: must(listOf(Ref)),
  suggestedName: must(Text),
  domain: must(v.nullable(Ref)),
  agreement: must(Fraction),
  crossing: must(Integer),
});

export const CommunitiesAnswer = shape('Communities', {
  data: must(listOf(LineageCommunity)),
  paging: must(InsightPaging),
});
