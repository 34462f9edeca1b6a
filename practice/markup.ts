// An HTML template tag. Values are escaped unless they are markup.

export interface Markup {
  html: string;
}

type Piece = string | number | Markup | readonly Markup[] | null | false;

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Builds markup. Null and false are left out. */
export function html(texts: TemplateStringsArray, ...values: Piece[]): Markup {
  return { html: texts.map((text, index) => text + filled(values[index] ?? null)).join("") };
}

function filled(value: Piece): string {
  if (value === null || value === false) return "";
  if (typeof value === "string" || typeof value === "number") {
    return String(value).replace(/[&<>"']/g, (character) => entities[character] ?? "");
  }
  return "html" in value ? value.html : value.map((each) => each.html).join("");
}
