import { Integer, listOf, must, Ref, shape } from '../../values.ts';
import { InsightPaging } from './paging.ts';

const SinglePoint = shape('SinglePoint', { entity: must(Ref), separates: must(Integer) });
const LineageBridge = shape('LineageBridge', { from: must(Ref), to: must(Ref), separates: must(Integer) });

export const SinglePointsAnswer = shape('SinglePoints', {
  data: must(listOf(SinglePoint)),
  bridges: must(listOf(LineageBridge)),
  paging: must(InsightPaging),
});
