// Presets: the hosts of widespread package registries and tools, as of November 2026.

const presets = {
  npm: ["registry.npmjs.org", "registry.yarnpkg.com", "nodejs.org"],
  pypi: ["pypi.org", "files.pythonhosted.org"],
  debian: ["deb.debian.org", "security.debian.org"],
  ubuntu: ["archive.ubuntu.com", "security.ubuntu.com", "ports.ubuntu.com"],
  github: ["github.com", "api.github.com", "codeload.github.com", "*.githubusercontent.com"],
  go: ["proxy.golang.org", "sum.golang.org"],
  crates: ["index.crates.io", "static.crates.io", "static.rust-lang.org"],
  maven: ["repo.maven.apache.org", "repo1.maven.org", "plugins.gradle.org", "services.gradle.org"],
  rubygems: ["rubygems.org", "index.rubygems.org"],
  packagist: ["packagist.org", "repo.packagist.org"],
  nuget: ["api.nuget.org", "globalcdn.nuget.org"],
  playwright: ["cdn.playwright.dev", "playwright.download.prss.microsoft.com"],
  docker: ["registry-1.docker.io", "auth.docker.io", "production.cloudflare.docker.com"],
} as const satisfies Record<string, readonly string[]>;

export type PresetName = keyof typeof presets;
export const presetNames = Object.keys(presets) as [PresetName, ...PresetName[]];

/** The patterns of a preset. */
export const hostsOfPreset = (name: PresetName): readonly string[] => presets[name];
