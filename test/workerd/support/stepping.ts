// A binding whose calls are steps that a test counts, or dies at.

/** The same, with a step before each of its calls. */
export function stepping<Binding extends object>(binding: Binding, step: () => void): Binding {
  return new Proxy(binding, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]) => {
        step();
        return value.apply(target, args);
      };
    },
  });
}
