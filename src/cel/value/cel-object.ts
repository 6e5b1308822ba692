/**
 * Base of every CEL value that is not a plain JavaScript one. `typeof`, `null`, `Array.isArray`, `instanceof CelObject`,
 * `Uint8Array`, else map: that is the whole type switch of the engine.
 */
export abstract class CelObject {
  /** Makes the class nominal for the type checker; no such property exists at run time. */
  declare protected readonly celObject: never;
}
