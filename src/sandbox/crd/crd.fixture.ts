/** A CRD `widgets.shop.example.com` with the given schema of its `spec`. */
export function widgetDefinition(
  spec: Record<string, unknown>,
  root: Record<string, unknown> = {},
): Record<string, unknown> {
  const status = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: { type: 'object', ...spec }, status }, ...root };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.shop.example.com' },
    spec: {
      group: 'shop.example.com',
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList', shortNames: ['wd'] },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema },
          subresources: { status: {} },
          additionalPrinterColumns: [
            { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
            { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          ],
        },
      ],
    },
  };
}

export function widget(spec: Record<string, unknown>, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { apiVersion: 'shop.example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec, ...more };
}
