import type { Place } from '../layout/placement.ts';
import { FAMILIES, type Family } from '../parts/kind-looks.ts';
import { capital, OLD_WORDS, TRUST_KINDS, TRUST_WORDS, type TrustKind } from './trust.ts';

/** Draws the graph as an SVG file, from what is known of it rather than from what the page shows: boxes out of sight are in it as well. */

export type Tone = 'plain' | 'lit' | 'path' | 'came' | 'went' | 'changed' | 'dim';
export type PictureBox = {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly kind: string;
  readonly name: string;
  readonly badges: readonly { readonly text: string; readonly tone: 'good' | 'warn' | 'bad' | 'plain' }[];
  readonly columns: readonly { readonly name: string; readonly isLit: boolean }[];
  readonly isRoot: boolean;
  readonly isDim: boolean;
  /** The family of kinds, which gives the band its hue; groups have none. */
  readonly family?: Family | undefined;
};
/** How a line shows what is known of its edge. */
export type Stroke = 'bridge' | TrustKind;
export type PictureLine = {
  readonly path: string;
  /** Points of the path that may lie beyond all boxes. */
  readonly bends?: readonly Place[];
  readonly tone: Tone;
  readonly stroke?: Stroke | undefined;
  readonly isOld?: boolean;
};

export const COLOURS = [
  ...(['ground', 'raised', 'line', 'line-strong', 'text', 'quiet', 'accent', 'on-accent'] as const),
  ...(['bad', 'warn', 'good'] as const),
  ...FAMILIES.map((family): `family-${Family}` => `family-${family}`),
] as const;
export type Colours = Readonly<Record<(typeof COLOURS)[number], string>>;

export type Picture = {
  readonly title: string;
  /** What a reader without the page has to know: of what time the picture is, and whether it shows all. */
  readonly notes: readonly string[];
  readonly boxes: readonly PictureBox[];
  readonly lines: readonly PictureLine[];
  readonly colours: Colours;
  /** Shortens a text to a width in a font. */
  readonly fit: (text: string, width: number, font: string) => string;
};

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Characters that no XML may hold; one of them in a name would spoil the whole file. */
const FORBIDDEN = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

/** Makes a text safe between tags and in attributes. */
export const escapeXml = (text: string): string =>
  text.replace(FORBIDDEN, '\uFFFD').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');

const MARGIN = 32;
const PADDING = 12;
const SANS = 'system-ui, sans-serif';
const MONO = 'ui-monospace, monospace';
const HEAD_HEIGHT = 62;
const COLUMN_HEIGHT = 26;

type TextStyle = { readonly size: number; readonly fill: string; readonly weight?: number; readonly mono?: boolean };

const writeText = (x: number, y: number, text: string, { size, fill, weight = 400, mono }: TextStyle): string =>
  `<text x="${x}" y="${y}" font-family="${mono ? MONO : SANS}" font-size="${size}" font-weight="${weight}" fill="${escapeXml(fill)}">${escapeXml(text)}</text>`;

const fontOf = (size: number, weight = 400, isMono = false): string => `${weight} ${size}px ${isMono ? MONO : SANS}`;

const writeColumns = ({ x, y, width, columns }: PictureBox, { colours, fit }: Picture): string =>
  columns
    .map(({ name, isLit }, at) => {
      const top = y + HEAD_HEIGHT + at * COLUMN_HEIGHT;
      const ground = isLit
        ? `<rect x="${x}" y="${top}" width="${width}" height="${COLUMN_HEIGHT}" fill="${escapeXml(colours.accent)}"/>`
        : '';
      const fill = isLit ? colours['on-accent'] : colours.text;
      const text = fit(name, width - 2 * PADDING, fontOf(12, 400, true));
      return `${ground}${writeText(x + PADDING, top + 17, text, { size: 12, fill, mono: true })}`;
    })
    .join('');

const writeBadges = ({ x, y, width, badges }: PictureBox, { colours, fit }: Picture): string => {
  const text = fit(badges.map((badge) => badge.text).join(' · '), width - 2 * PADDING, fontOf(11));
  const worst = (['bad', 'warn', 'good'] as const).find((tone) => badges.some((badge) => badge.tone === tone));
  return writeText(x + PADDING, y + 54, text, { size: 11, fill: worst ? colours[worst] : colours.quiet });
};

const writeBox = (box: PictureBox, picture: Picture): string => {
  const { x, y, width, height, kind, name, isRoot, isDim, family } = box;
  const { colours, fit } = picture;
  const stroke = isRoot ? colours.accent : colours['line-strong'];
  const inner = width - 2 * PADDING;
  return [
    `<g${isDim ? ' opacity="0.4"' : ''}>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="8" fill="${escapeXml(colours.raised)}" stroke="${escapeXml(stroke)}" stroke-width="${isRoot ? 2 : 1}"/>`,
    family === undefined
      ? ''
      : `<rect x="${x}" y="${y}" width="4" height="${height}" rx="2" fill="${escapeXml(colours[`family-${family}`])}"/>`,
    writeText(x + PADDING, y + 19, fit(kind, inner, fontOf(11)), { size: 11, fill: colours.quiet }),
    writeText(x + PADDING, y + 37, fit(name, inner, fontOf(14, 600)), { size: 14, fill: colours.text, weight: 600 }),
    box.badges.length > 0 ? writeBadges(box, picture) : '',
    writeColumns(box, picture),
    '</g>',
  ].join('');
};

const LINE_COLOURS: Readonly<Record<Tone, keyof Colours>> = {
  plain: 'line-strong',
  dim: 'line',
  lit: 'accent',
  path: 'accent',
  came: 'good',
  went: 'bad',
  changed: 'warn',
};

const DASHES: Readonly<Partial<Record<Tone | Stroke, string>>> = {
  went: '7 5',
  changed: '2 3',
  bridge: '2 4',
  observed: '6 3',
};

const isQuietTone = (tone: Tone): boolean => tone === 'plain' || tone === 'dim';

/** The mark where an edge begins that somebody entered by hand. */
const writeMark = (path: string, colour: string): string => {
  const [, x, y] = /^M\s*([-\d.]+)[ ,]([-\d.]+)/.exec(path) ?? [];
  return x === undefined || y === undefined
    ? ''
    : `<path d="M${x} ${y}m0 0l5 -4l5 4l-5 4z" fill="${escapeXml(colour)}"/>`;
};

const writeLine = ({ path, tone, stroke, isOld }: PictureLine, { colours }: Picture): string => {
  const dashes = DASHES[tone] ?? (stroke && DASHES[stroke]);
  const width = !isQuietTone(tone) ? 2.5 : stroke === 'agreed' ? 2 : 1;
  const colour = colours[LINE_COLOURS[tone]];
  return [
    `<path d="${escapeXml(path)}" fill="none" stroke="${escapeXml(colour)}" stroke-width="${width}"`,
    dashes ? ` stroke-dasharray="${dashes}"` : '',
    isOld ? ' stroke-opacity="0.5"' : '',
    '/>',
    stroke === 'by-hand' ? writeMark(path, colour) : '',
  ].join('');
};

type Meaning = {
  readonly name: string;
  readonly sample: Omit<PictureLine, 'path'>;
  readonly isMeant: (line: PictureLine) => boolean;
};

const toneMeaning = (tone: Tone, name: string): Meaning => ({
  name,
  sample: { tone },
  isMeant: (line) => line.tone === tone,
});

const strokeMeaning = (stroke: Stroke, name: string): Meaning => ({
  name,
  sample: { tone: 'plain', stroke },
  isMeant: (line) => isQuietTone(line.tone) && line.stroke === stroke,
});

const MEANINGS: readonly Meaning[] = [
  toneMeaning('lit', 'Trail of a column'),
  toneMeaning('path', 'Path'),
  toneMeaning('came', 'Added'),
  toneMeaning('went', 'Removed'),
  toneMeaning('changed', 'Changed'),
  strokeMeaning('bridge', 'Bridge over filtered assets'),
  ...TRUST_KINDS.map((kind) => strokeMeaning(kind, capital(TRUST_WORDS[kind]))),
  { name: capital(OLD_WORDS), sample: { tone: 'plain', isOld: true }, isMeant: ({ isOld }) => isOld === true },
];

const TITLE_HEIGHT = 26;
const NOTE_HEIGHT = 18;
const SAMPLE_WIDTH = 34;
const CAPTION_GAP = 14;
/** Narrower pictures would cut their own title. */
const LEAST_WIDTH = 480;

/** The kinds of lines in a picture that do not speak for themselves. */
const meaningsIn = (lines: readonly PictureLine[]) => MEANINGS.filter(({ isMeant }) => lines.some(isMeant));

const captionHeight = ({ notes, lines }: Picture): number =>
  TITLE_HEIGHT + NOTE_HEIGHT * (notes.length + meaningsIn(lines).length) + CAPTION_GAP;

/** Writes the title, the notes and what the lines mean, one below the other. */
const writeCaption = (x: number, y: number, width: number, picture: Picture): string => {
  const { title, notes, colours, lines, fit } = picture;
  const quiet = { size: 12, fill: colours.quiet };
  const below = (at: number) => y + TITLE_HEIGHT + NOTE_HEIGHT * at;
  return [
    writeText(x, y + 18, fit(title, width, fontOf(18, 600)), { size: 18, fill: colours.text, weight: 600 }),
    ...notes.map((note, at) => writeText(x, below(at) + 13, fit(note, width, fontOf(12)), quiet)),
    ...meaningsIn(lines).flatMap(({ name, sample }, at) => {
      const top = below(notes.length + at);
      const line = { ...sample, path: `M${x} ${top + 9}h${SAMPLE_WIDTH - 8}` };
      return [writeLine(line, picture), writeText(x + SAMPLE_WIDTH, top + 13, name, quiet)];
    }),
  ].join('\n');
};

export type Drawn = { readonly svg: string; readonly width: number; readonly height: number };

/** How far boxes and lines reach. */
const boundsOf = ({ boxes, lines }: Picture) => {
  const bends = lines.flatMap((line) => line.bends ?? []);
  const corners = boxes.flatMap(({ x, y, width, height }) => [
    { x, y },
    { x: x + width, y: y + height },
  ]);
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of [...corners, ...bends]) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { left, top, right, bottom };
};

/** The file, and how large the picture is. */
export const drawPicture = (picture: Picture): Drawn => {
  const { boxes, lines, colours, title } = picture;
  const drawn = boundsOf(picture);
  const left = drawn.left - MARGIN;
  const top = drawn.top - MARGIN - captionHeight(picture);
  const width = Math.max(LEAST_WIDTH, Math.ceil(drawn.right + MARGIN - left));
  const height = Math.ceil(drawn.bottom + MARGIN - top);
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${escapeXml(colours.ground)}"/>`,
    writeCaption(left + MARGIN, top + MARGIN, width - 2 * MARGIN, picture),
    ...lines.map((line) => writeLine(line, picture)),
    ...boxes.map((box) => writeBox(box, picture)),
    '</svg>',
  ].join('\n');
  return { svg, width, height };
};
