"""Pages that simulate: one HTML file with the model as WebAssembly, its view, plots and controls."""
