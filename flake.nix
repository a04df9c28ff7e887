# `nix run github:penstock/penstock -- demo`, or `nix profile install github:penstock/penstock`.
{
  description = "The gate between AI coding agents and a project's files";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs = { self, nixpkgs }:
    let
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      project = (builtins.fromTOML (builtins.readFile ./pyproject.toml)).project;
      package = pkgs:
        let python = pkgs.python3Packages; in
        python.buildPythonApplication {
          pname = project.name;
          version = project.version;
          pyproject = true;
          src = self;
          build-system = [ python.hatchling python.hatch-fancy-pypi-readme ];
          dependencies = [
            python.click
            python.cryptography
            python.google-re2
            python.msgspec
            python.pyyaml
            python.rich
            python.tree-sitter
            python.tree-sitter-bash
          ];
          pythonImportsCheck = [ "penstock" ];
          # Tests need a checkout with its own environment: `make test`.
          doCheck = false;
          meta = {
            description = project.description;
            homepage = project.urls.Homepage;
            license = pkgs.lib.licenses.asl20;
            mainProgram = "penstock";
          };
        };
      each = f: nixpkgs.lib.genAttrs systems (system: f nixpkgs.legacyPackages.${system});
    in
    {
      packages = each (pkgs: { default = package pkgs; });
    };
}
