import type { WriteRow } from '../graph/commit.ts';
import { statement } from '../graph/statement.ts';

const written = { params: ['rows'], row: ['at'] } as const;

export const linkTargets = statement<{ rows: readonly WriteRow[] }, { at: number }>('quality/link_target', written);
