/** What is placed, and where it then stands. */

export type Box = { readonly id: string; readonly width: number; readonly height: number };
export type Link = { readonly id: string; readonly from: string; readonly to: string };
export type Places = ReadonlyMap<string, { readonly x: number; readonly y: number }>;
