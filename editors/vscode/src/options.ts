/** What the server is told. Knows nothing of VS Code. */

export interface ServerOptions {
  python?: string;
  budgetSeconds?: number;
  rulePaths?: boolean;
}

/** The server's options: programs run with the interpreter of the setting, else with that of the project. */
export function serverOptions(
  python: string,
  selected: string | undefined,
  budgetSeconds: number,
  rulePaths: boolean,
): ServerOptions {
  const interpreter = python !== "" ? python : selected;
  return {
    ...(interpreter === undefined ? {} : { python: interpreter }),
    ...(Number.isFinite(budgetSeconds) && budgetSeconds >= 1 ? { budgetSeconds } : {}),
    rulePaths,
  };
}

/** The codes of those diagnostics that are of tflint-hf, each once. */
export function codesOf(diagnostics: readonly { source?: string; code?: unknown }[]): string[] {
  const codes = diagnostics.filter((one) => one.source === "tflint-hf").map((one) => codeOf(one.code));
  return [...new Set(codes.filter((code) => code !== ""))];
}

function codeOf(code: unknown): string {
  const value: unknown = typeof code === "object" && code !== null && "value" in code ? code.value : code;
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
