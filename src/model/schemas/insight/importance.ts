import { Fraction, Integer, listOf, must, Num, Ref, shape, Timestamp } from '../../values.ts';
import { InsightPaging } from './paging.ts';

const ImportanceParts = shape('ImportanceParts', {
  lineage: must(Fraction),
  usage: must(Num),
  contracts: must(Num),
  tier: must(Num),
});

const ImportantAsset = shape('ImportantAsset', {
  entity: must(Ref),
  score: must(Fraction),
  rank: must(Integer),
  parts: must(ImportanceParts),
});

export const ImportanceAnswer = shape('Importance', {
  data: must(listOf(ImportantAsset)),
  computedAt: must(Timestamp),
  paging: must(InsightPaging),
});
