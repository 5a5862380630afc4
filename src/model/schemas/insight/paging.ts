import { Flag, Integer, shape, Text } from '../../values.ts';

/** How a list goes on: how many rows there are, or that not everything was looked at, and the cursor of the next page. */
export const InsightPaging = shape('InsightPaging', { total: Integer, after: Text, truncated: Flag });
