/**
 * Draws how the rates of repeated reads change with the number of tables:
 * `node --import tsx scripts/draw-growth.ts SMALL.json … LARGE.json > docs/growth.svg`, with the figures of runs whose
 * rows begin with `kept-`. Rates are beside a route that answers the same bytes, because machines differ by the hour.
 */
import { readFileSync } from 'node:fs';

type Figures = {
  readonly tables: number;
  readonly results: readonly { readonly row: string; readonly figures: { readonly ratio: number } }[];
};

const LINES = [
  ['kept-get-64', 'one record', '#2563eb'],
  ['kept-list', 'page of 100 tables', '#0f766e'],
  ['kept-lineage-1', 'lineage, depth 1', '#b45309'],
  ['kept-lineage-3', 'lineage, depth 3', '#be185d'],
  ['kept-lineage-10', 'lineage, depth 10', '#7c3aed'],
] as const;

const [WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM] = [720, 360, 56, 170, 44, 48];
const HIGHEST = 1.5;
const AIM = 0.8;

const y = (share: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(share, HIGHEST) / HIGHEST);

const text = (x: number, at: number, words: string, rest = ''): string =>
  `<text x="${x.toFixed(1)}" y="${at.toFixed(1)}"${rest}>${words}</text>`;

/** Pushes labels apart that would cover each other, from top to bottom. */
const spread = (places: readonly number[], apart: number): readonly number[] => {
  const order = places.map((place, at) => ({ place, at })).sort((a, b) => a.place - b.place);
  let last = Number.NEGATIVE_INFINITY;
  const moved: number[] = [];
  for (const { place, at } of order) {
    last = Math.max(place, last + apart);
    moved[at] = last;
  }
  return moved;
};

const drawGrowth = (runs: readonly Figures[]): string => {
  const ordered = [...runs].sort((a, b) => a.tables - b.tables);
  const [smallest, largest] = [ordered[0]?.tables ?? 1, ordered.at(-1)?.tables ?? 1];
  const span = Math.log10(largest / smallest) || 1;
  const x = (tables: number): number => LEFT + ((WIDTH - LEFT - RIGHT) * Math.log10(tables / smallest)) / span;
  const ratioIn = ({ results }: Figures, row: string) => results.find((result) => result.row === row)?.figures.ratio;
  const lines = LINES.flatMap(([row, label, colour]) => {
    const first = ordered[0] && ratioIn(ordered[0], row);
    if (!first) return [];
    const points = ordered.flatMap((run) => {
      const ratio = ratioIn(run, row);
      return ratio === undefined ? [] : [{ tables: run.tables, share: ratio / first }];
    });
    return [{ label, colour, points }];
  });
  const ends = spread(
    lines.map(({ points }) => y(points.at(-1)?.share ?? 1)),
    18,
  );
  const grid = [0, 0.5, 1, 1.5].flatMap((share) => [
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(share)}" y2="${y(share)}" stroke="#9ca3af" stroke-opacity="0.35"/>`,
    text(LEFT - 8, y(share) + 4, share.toFixed(1), ' text-anchor="end"'),
  ]);
  const marks = ordered.map(({ tables }) =>
    text(x(tables), HEIGHT - BOTTOM + 20, tables.toLocaleString('en'), ' text-anchor="middle"'),
  );
  const drawn = lines.flatMap(({ label, colour, points }, at) => [
    `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points
      .map(({ tables, share }) => `${x(tables).toFixed(1)},${y(share).toFixed(1)}`)
      .join(' ')}"/>`,
    ...points.map(
      ({ tables, share }) =>
        `<circle cx="${x(tables).toFixed(1)}" cy="${y(share).toFixed(1)}" r="3" fill="${colour}"/>`,
    ),
    text(
      WIDTH - RIGHT + 12,
      (ends[at] ?? 0) + 4,
      `${label} ${(points.at(-1)?.share ?? 1).toFixed(2)}`,
      ` fill="${colour}"`,
    ),
  ]);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="sans-serif" font-size="13">
<title>Rates of repeated reads by the number of tables, those of ${smallest.toLocaleString('en')} being 1</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>
<g fill="#374151">
${text(LEFT, 24, `Rate beside the same bytes from memory (${smallest.toLocaleString('en')} tables = 1)`, ' font-weight="600"')}
${grid.join('\n')}
<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(AIM)}" y2="${y(AIM)}" stroke="#dc2626" stroke-dasharray="5 4"/>
${text(LEFT + 6, y(AIM) + 16, `aim: ${AIM}`, ' fill="#dc2626"')}
${marks.join('\n')}
${text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, 'tables', ' text-anchor="middle"')}
</g>
${drawn.join('\n')}
</svg>
`;
};

const runs = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')) as Figures);
process.stdout.write(drawGrowth(runs));
