/** What one template, or one file of crds/, was rendered to. */
export interface Piece {
  /** `chart/templates/deployment.yaml` */
  readonly source: string;
  readonly text: string;
}

/** Splits what `helm template` prints: YAML documents, each below the comment that names its template; some follow without one. */
export function splitOutput(output: string): Piece[] {
  const pieces: Piece[] = [];
  let source = 'the chart';
  for (const text of output.split(/^---[ \t]*$/m)) {
    source = /^\s*# Source: (.+)$/m.exec(text)?.[1]?.trim() ?? source;
    if (/^[ \t]*[^\s#]/m.test(text)) pieces.push({ source, text: text.replace(/^\n/, '') });
  }
  return pieces;
}
