/** What is placed, and where it then stands. */

export type Box = { readonly id: string; readonly width: number; readonly height: number };
export type Link = { readonly id: string; readonly from: string; readonly to: string };
export type Place = { readonly x: number; readonly y: number };
export type Places = ReadonlyMap<string, Place>;

/**
 * The points through which links go that pass layers between their boxes, in pairs: into a layer and out of it. Links that
 * lead back have one pair, below or above all layers on their way: `course.ts` knows them by that.
 */
export type Bends = ReadonlyMap<string, readonly Place[]>;

/** What a later layout has to know of an earlier one. */
export type Arrangement = {
  /** How high each box stands, or would stand if its layer had a single column. */
  readonly tops: ReadonlyMap<string, number>;
  /** How many boxes stand in one column of a tall layer. */
  readonly rows: number;
};

export type Placement = Arrangement & { readonly places: Places; readonly bends: Bends };

/** How boxes stood before: their order stays, and where they are held also their height, as far as new ones let them. */
export type FormerPlaces = Arrangement & { readonly isHeld: boolean };
