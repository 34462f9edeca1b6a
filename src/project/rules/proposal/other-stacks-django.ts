// A Django project, by its manage.py. Its packages go into an environment of its own, which git does not see.
import { type Files, type Found, nothing } from "./found.ts";

/** Reads manage.py and what names its packages. */
export function findDjango({ paths }: Files): Found {
  if (!paths.has("manage.py")) return nothing;
  const serve = (python: string) => [
    {
      name: "web",
      command: `${python} manage.py runserver "127.0.0.1:$PORT"`,
      port: 8000,
      because: "manage.py: a Django project",
    },
  ];
  if (paths.has("uv.lock"))
    return { ...nothing, setup: [{ command: "uv sync", because: "uv.lock" }], services: serve("uv run python") };
  if (paths.has("poetry.lock"))
    return {
      ...nothing,
      setup: [{ command: "poetry install", because: "poetry.lock" }],
      services: serve("poetry run python"),
    };
  if (!paths.has("requirements.txt")) return { ...nothing, services: serve("python3") };
  const because = "requirements.txt";
  const setup = [
    { command: "python3 -m venv .venv && echo '*' > .venv/.gitignore", because },
    { command: ".venv/bin/pip install -r requirements.txt", because },
  ];
  return { ...nothing, setup, services: serve(".venv/bin/python") };
}
