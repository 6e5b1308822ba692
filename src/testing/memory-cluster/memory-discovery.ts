import type { Discovery, ResourceType } from '../../ports/cluster.ts';

/** Discovery of a fixed list of types. */
export function discoveryOf(types: readonly ResourceType[]): Discovery {
  const named = (type: ResourceType, name: string): boolean =>
    [type.resource, type.singular, type.kind.toLowerCase(), ...type.shortNames].includes(name.toLowerCase());
  return {
    kind: async (group, kind, version) =>
      types.find((type) => type.group === group && type.kind === kind && (version ?? type.version) === type.version),
    find: async (name) => {
      const [short = '', ...rest] = name.split('.');
      const behind = rest.join('.');
      return types.find(
        (type) => named(type, short) && ['', type.group, `${type.version}.${type.group}`].includes(behind),
      );
    },
    all: async () => types,
    broken: async () => [],
    invalidate: () => {},
  };
}
