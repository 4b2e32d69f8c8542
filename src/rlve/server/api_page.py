"""The API page of `rlve serve`, made from its OpenAPI description.

FastAPI's own pages load scripts from another host; this one is plain HTML.
"""

import json
from html import escape
from typing import Any, cast

STYLE = """
:root { color-scheme: light dark; --ink: #222; --faint: #666; --line: #ddd; --soft: #f6f6f6;
        --accent: #0072b2; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --faint: #a0a0a0; --line: #3a3a3a; --soft: #222; --accent: #56b4e9; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: Canvas;
       max-width: 56rem; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; margin-bottom: 0.25rem; } h2 { font-size: 1.2rem; margin-top: 2.25rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 0.25rem; font-family: ui-monospace, monospace; }
h3 b { color: var(--accent); display: inline-block; min-width: 4.5rem; }
p { margin: 0.25rem 0; } .faint { color: var(--faint); } a { color: var(--accent); }
pre { background: var(--soft); padding: 0.75rem; border-radius: 0.3rem; overflow-x: auto;
      font-size: 0.85rem; }
table { border-collapse: collapse; font-size: 0.9rem; width: 100%; }
td, th { padding: 0.25rem 0.9rem 0.25rem 0; text-align: left; border-bottom: 1px solid var(--line);
         vertical-align: top; }
code { font-family: ui-monospace, monospace; }
"""

EXAMPLE = """curl -s BASEv1/generate -H 'Content-Type: application/json' \\
  -d '{"requests": [{"environment": "Sorting", "difficulty": 3, "seed": 42}]}'

curl -s BASEv1/verify -H 'Content-Type: application/json' \\
  -d '{"items": [{"environment": "Sorting", "difficulty": 3, "seed": 42,
                  "output": "<answer>1 2 3</answer>"}]}'"""


def api_page(description: dict[str, Any], base: str) -> str:
    """The page; `base` is the URL at which it was requested."""
    schemas = description.get("components", {}).get("schemas", {})
    shown = {name: schema for name, schema in schemas.items() if "Validation" not in name}
    body = [
        f"<h1>{escape(description['info']['title'])}</h1>",
        f'<p class="faint">rlve {escape(description["info"]["version"])} &middot; '
        '<a href="/openapi.json">openapi.json</a> &middot; <a href="/health">health</a> &middot; '
        '<a href="/metrics">metrics</a></p>',
        f"<pre>{escape(EXAMPLE.replace('BASE', base))}</pre>",
        "<h2>Requests</h2>",
        *(
            _operation(method, path, operation)
            for path, operations in description["paths"].items()
            for method, operation in operations.items()
        ),
        "<h2>Records</h2>",
        *(_record(name, schema) for name, schema in shown.items()),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<title>RLVE-Gym over HTTP</title><link rel="stylesheet" href="/api.css"></head><body>'
        + "\n".join(body)
        + "</body></html>\n"
    )


def _operation(method: str, path: str, operation: dict[str, Any]) -> str:
    request = _schema(operation.get("requestBody", {}))
    response = next(
        (_schema(reply) for code, reply in operation["responses"].items() if code < "300"), ""
    )
    flow = " &rarr; ".join(part for part in (request, response) if part)
    text = escape(operation.get("description", operation.get("summary", "")))
    return (
        f"<h3><b>{method.upper()}</b> {escape(path)}</h3>"
        f"<p>{text}{' ' if flow else ''}<span class='faint'>{flow}</span></p>"
    )


def _schema(part: dict[str, Any]) -> str:
    for content in part.get("content", {}).values():
        return _kind(content.get("schema", {}))
    return ""


def _record(name: str, schema: dict[str, Any]) -> str:
    rows = "".join(
        f"<tr><td><code>{escape(field)}</code></td><td>{_kind(value)}</td>"
        f"<td>{'' if field in schema.get('required', ()) else _default(value)}</td>"
        f"<td>{escape(value.get('description', ''))}</td></tr>"
        for field, value in schema.get("properties", {}).items()
    )
    text = escape(schema.get("description", "").partition("\n")[0])
    return f'<h3 id="{escape(name)}">{escape(name)}</h3><p>{text}</p><table>{rows}</table>'


def _default(schema: dict[str, Any]) -> str:
    return escape(json.dumps(schema.get("default"))) if "default" in schema else ""


def _kind(schema: dict[str, Any]) -> str:
    """A short name for the type of a value."""
    if "$ref" in schema:
        name = escape(schema["$ref"].rpartition("/")[2])
        return f'<a href="#{name}">{name}</a>'
    if "anyOf" in schema:
        kinds = [kind for kind in schema["anyOf"] if kind.get("type") != "null"]
        return " or ".join(map(_kind, kinds))
    if "enum" in schema:
        return escape(", ".join(map(str, cast(list[object], schema["enum"]))))
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return escape(str(schema.get("type", "")))
