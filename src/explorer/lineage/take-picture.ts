import { looksOf } from '../parts/kind-looks.ts';
import { readableTime } from '../parts/times.ts';
import type { BoxData } from './asset-box.tsx';
import type { LineageChoice } from './choice.ts';
import type { LineageBox } from './flow.ts';
import { FATE_NAMES } from './graph-model.ts';
import type { GroupBoxNode } from './group-box.tsx';
import { countKinds } from './group-words.ts';
import type { LineEdge } from './line.tsx';
import { drawCourse } from './line-path.ts';
import { BOX_WIDTH } from './measures.ts';
import { kindName, recordName } from './names.ts';
import {
  COLOURS,
  type Colours,
  type Drawn,
  drawPicture,
  type PictureBox,
  type PictureLine,
  type Stroke,
  type Tone,
} from './picture.ts';
import { statesOf } from './states.ts';
import { TRUST_KINDS } from './trust.ts';

/** Makes a picture of what a graph shows now: its boxes and edges, in the colours of the page. */

/** The boxes and edges that a view draws, in sight or not. */
export type DrawnGraph = {
  readonly boxes: readonly LineageBox[];
  readonly edges: readonly LineEdge[];
  /** The lineage goes on where an answer was cut at its limit. */
  readonly isCut: boolean;
};

const classOf = (className: string | undefined, name: string): boolean => (className ?? '').split(' ').includes(name);

const FATE_TONES = { came: 'good', went: 'bad', changed: 'warn' } as const;

/** What the box of a record holds. */
const readAssetBox = ({ record, fate, page, isRoot, isFaded }: BoxData) => ({
  kind: [kindName(record.type), record.service && recordName(record.service)].filter(Boolean).join(' · '),
  name: recordName(record),
  badges: [
    ...(fate ? [{ text: FATE_NAMES[fate], tone: FATE_TONES[fate] }] : []),
    ...statesOf(record),
    ...(record.tier ? [{ text: record.tier.replace('Tier.', ''), tone: 'plain' as const }] : []),
  ],
  columns: page?.rows ?? [],
  family: looksOf(record.type).family,
  isRoot,
  isFaded,
});

const readBox = (box: LineageBox) =>
  box.type === 'asset'
    ? readAssetBox(box.data as BoxData)
    : {
        kind: countKinds((box as GroupBoxNode).data.group.kinds),
        name: (box as GroupBoxNode).data.group.name,
        badges: [],
        columns: [],
        isRoot: false,
        isFaded: (box as GroupBoxNode).data.isFaded,
      };

const pictureBox = (box: LineageBox): PictureBox => {
  const { isFaded, ...shown } = readBox(box);
  return {
    ...box.position,
    width: box.width ?? BOX_WIDTH,
    height: box.height ?? 0,
    ...shown,
    isDim: isFaded || classOf(box.className, 'off-path'),
  };
};

type Side = {
  readonly box: LineageBox;
  readonly handle: string | null | undefined;
  readonly kind: 'source' | 'target';
};

/** Where an edge meets a box: at its column, or else at the middle. */
const meetingPoint = ({ box, handle, kind }: Side) => {
  const { x, y } = box.position;
  const known = box.handles?.find((one) => one.type === kind && (one.id ?? undefined) === (handle ?? undefined));
  return { x: kind === 'source' ? x + (box.width ?? BOX_WIDTH) : x, y: y + (known?.y ?? (box.height ?? 0) / 2) };
};

const TONES: readonly (readonly [string, Tone])[] = [
  ['on-path', 'path'],
  ['came', 'came'],
  ['went', 'went'],
  ['changed', 'changed'],
  ['lit', 'lit'],
  ['dim', 'dim'],
  ['off-path', 'dim'],
];

const STROKES: readonly Stroke[] = ['bridge', ...TRUST_KINDS];

const pictureLine = (boxes: ReadonlyMap<string, LineageBox>, edge: LineEdge): readonly PictureLine[] => {
  const source = boxes.get(edge.source);
  const target = boxes.get(edge.target);
  if (!source || !target) return [];
  const from = meetingPoint({ box: source, handle: edge.sourceHandle, kind: 'source' });
  const to = meetingPoint({ box: target, handle: edge.targetHandle, kind: 'target' });
  const bends = edge.data?.bends ?? [];
  const { path } = drawCourse({ from, to, bends });
  const tone = TONES.find(([name]) => classOf(edge.className, name))?.[1] ?? 'plain';
  const stroke = STROKES.find((name) => classOf(edge.className, name));
  return [{ path, bends, tone, stroke, isOld: classOf(edge.className, 'unconfirmed') }];
};

/** The colours of the theme, as files can say them. */
const readColours = (): Colours => {
  const probe = document.createElement('span');
  document.body.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const colours = Object.fromEntries(COLOURS.map((name) => [name, read(name)])) as Colours;
  probe.remove();
  return colours;
};

/** Shortens texts to a width, as the browser measures them. */
const measure = () => {
  const context = document.createElement('canvas').getContext('2d');
  return (text: string, width: number, font: string): string => {
    if (!context) return text;
    context.font = font;
    if (context.measureText(text).width <= width) return text;
    const letters = [...text];
    while (letters.length > 1 && context.measureText(`${letters.join('')}…`).width > width) letters.pop();
    return `${letters.join('')}…`;
  };
};

const CUT_NOTE = 'Not all of it: the lineage was cut where it is too large';

/** Of what time a picture is. */
const momentNote = ({ asOf, since }: Pick<LineageChoice, 'asOf' | 'since'>, now: number): string => {
  const at = readableTime(asOf ?? now);
  return since === undefined ? `As of ${at}` : `What changed from ${readableTime(since)} to ${at}`;
};

export const takePicture = ({ boxes, edges, isCut }: DrawnGraph, title: string, choice: LineageChoice): Drawn => {
  const known = new Map(boxes.map((box) => [box.id, box]));
  return drawPicture({
    title,
    notes: [momentNote(choice, Date.now()), ...(isCut ? [CUT_NOTE] : [])],
    boxes: boxes.map(pictureBox),
    lines: edges.flatMap((edge) => pictureLine(known, edge)),
    colours: readColours(),
    fit: measure(),
  });
};

/** Browsers refuse larger canvases, or make them empty. */
const MOST_PIXELS = 8192;

const loadImage = (address: string): Promise<HTMLImageElement> =>
  new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error('The browser could not read the picture'));
    image.src = address;
  });

/** The same picture in pixels, two for each where there is room. */
export const paintPng = async ({ svg, width, height }: Drawn): Promise<Blob> => {
  const address = URL.createObjectURL(new Blob([svg], { type: 'image/svg+xml' }));
  try {
    const image = await loadImage(address);
    const scale = Math.min(2, MOST_PIXELS / width, MOST_PIXELS / height);
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(width * scale));
    canvas.height = Math.max(1, Math.round(height * scale));
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) =>
      canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The picture is too large for the browser')))),
    );
  } finally {
    URL.revokeObjectURL(address);
  }
};
