# Formula for a tap. `make release-check` writes it to dist/ with the digest of the source archive.
class Penstock < Formula
  desc "Gate between AI coding agents and a project's files"
  homepage "https://github.com/penstock/penstock"
  url "https://github.com/penstock/penstock/releases/download/v@VERSION@/penstock_gate-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "python@3.13"

  def install
    python = Formula["python@3.13"].opt_bin/"python3.13"
    system python, "-m", "venv", libexec
    pip = [libexec/"bin/python", "-m", "pip", "install", "--no-deps"]
    system(*pip, "--require-hashes", "-r", "requirements-run.lock.txt")
    system(*pip, "--no-build-isolation", buildpath)
    %w[penstock penstock-hook decision_reviewer].each do |name|
      bin.install_symlink libexec/"bin/#{name}"
    end
    man1.install Dir["docs/man/*.1"]
  end

  service do
    run [opt_bin/"penstock", "serve"]
    keep_alive true
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/penstock version")
    assert_match "deny", shell_output("#{bin}/penstock judge --json write .env", 2)
  end
end
