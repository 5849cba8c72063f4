export default { build: { target: "esnext", minify: false }, worker: { format: "es" }, logLevel: "warn" };
