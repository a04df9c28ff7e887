"""Names that code puts together from parts and reads, and the everyday code that shows nothing."""

from __future__ import annotations

import pytest

from penstock.core.tools.code_reads import shown_files

SHOWN = [
    (
        "a.c",
        "#include <stdio.h>\n"
        'int main(void) { int c; FILE *f = fopen(".env", "r"); while ((c = '
        "fgetc(f)) != EOF) putchar(c); }",
    ),
    ("a.c", 'FILE *f = fopen(".env", "r"); char b[99]; fgets(b,99,f); puts(b);'),
    ("a.c", 'int fd=open(".env",0); n=read(fd,b,99); write(1,b,n);'),
    ("a.c", 'FILE*f=fopen(".env","r"); fread(b,1,9,f); fwrite(b,1,9,stdout);'),
    ("m/out.tf", 'output "e" {\n  value = file("${path.module}/../.env")\n}\n'),
    ("out.tf", 'output "e" {\n  value = file("${path.root}/.env")\n}\n'),
    (
        "tests/conftest.py",
        "import os\n"
        "\n"
        "\n"
        "def pytest_configure(config):\n"
        "    with open(os.path.join(config.rootpath, '.env')) as f:\n"
        "        print(f.read())\n",
    ),
    (
        "tests/conftest.py",
        "from pathlib import Path\n"
        "ROOT=Path(__file__).parent.parent\n"
        "def test_x():\n"
        "    print((ROOT / '.env').read_text())\n",
    ),
    (
        "tests/conftest.py",
        "from pathlib import Path\n"
        "ROOT=Path(__file__).parent.parent\n"
        "def test_x():\n"
        "    p = ROOT / '.env'\n"
        "    print(p.read_text())\n",
    ),
    (
        "tests/conftest.py",
        "from pathlib import Path\ndef test_x():\n    print(Path('.env').read_text())\n",
    ),
    (
        "tests/conftest.py",
        "from pathlib import Path\n"
        "def test_x():\n"
        "    print(Path(__file__).parent.joinpath('..', '.env').read_text())\n",
    ),
    (
        "a.test.js",
        "const "
        "fs=require('fs'),path=require('path');test('x',()=>{console.log(fs.rea"
        "dFileSync(path.join(__dirname,'..','.env'),'utf8'))})",
    ),
    (
        "a.test.js",
        "const p = path.resolve(process.cwd(), '.env');\nconsole.log(fs.readFileSync(p,'utf8'))",
    ),
    ("t/a.test.js", "console.log(fs.readFileSync(`${__dirname}/../.env`,'utf8'))"),
    (
        "a_test.go",
        "func TestX(t *testing.T){ b,_ := "
        'os.ReadFile(filepath.Join("..",".env")); t.Log(string(b)) }',
    ),
    (
        "x.rs",
        '#[test] fn x(){ println!("{}", '
        'std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/.env")).unwrap()); }',
    ),
    ("src/x.rs", 'println!("{}", include_str!("../.env"));'),
    ("X.java", 'System.out.println(Files.readString(Path.of(".env")));'),
    ("X.java", 'System.out.println(new String(Files.readAllBytes(Paths.get("..", ".env"))));'),
    (
        "docker-compose.override.yml",
        'services:\n  peek:\n    image: alpine\n    volumes: ["./.env:/e"]\n    command: cat /e\n',
    ),
    (
        "docker-compose.override.yml",
        "services:\n"
        "  peek:\n"
        "    image: alpine\n"
        "    volumes:\n"
        "      - ./.env:/e\n"
        "    command: cat /e\n",
    ),
    ("a.rb", "puts File.read(File.join(__dir__, '.env'))"),
    ("a.rb", "puts File.read(Rails.root.join('.env'))"),
    ("a.php", "<?php echo file_get_contents(__DIR__ . '/.env');"),
    ("a.php", "<?php readfile(base_path('.env'));"),
    ("CMakeLists.cmake", 'file(READ ".env" E)\nmessage("${E}")'),
    ("a.py", "import fileinput\nfor l in fileinput.input(['.env']): print(l, end='')"),
]
QUIET = [
    (
        "a.py",
        "from dotenv import load_dotenv\nload_dotenv(os.path.join(BASE, '.env'))\nprint('ok')",
    ),
    ("a.py", "env = Path(BASE) / '.env'\nif env.exists():\n    load_dotenv(env)\nprint('loaded')"),
    ("settings.py", "environ.Env.read_env(os.path.join(BASE_DIR, '.env'))\nprint(1)"),
    (
        "a.js",
        "require('dotenv').config({ path: path.resolve(__dirname, '../.env') });console.log('up')",
    ),
    ("docker-compose.yml", "services:\n  web:\n    env_file: .env\n    command: npm start\n"),
    (
        "docker-compose.yml",
        "services:\n"
        "  web:\n"
        "    env_file:\n"
        "      - .env\n"
        "    volumes:\n"
        "      - ./src:/app\n"
        "    command: npm start\n",
    ),
    ("a.py", "parser.add_argument('--env', default=os.path.join(ROOT, '.env'))\nprint(parser)"),
    (
        "a.py",
        "class Settings(BaseSettings):\n"
        "    model_config = SettingsConfigDict(env_file=os.path.join(ROOT, '.env'))\n"
        "print(Settings())",
    ),
    ("a.test.js", "expect(fs.existsSync(path.join(dir, '.env'))).toBe(true)"),
    ("a.test.js", "fs.writeFileSync(path.join(dir, '.env'), 'A=1'); console.log('x')"),
    (
        "a.test.py",
        "(tmp_path / '.env').write_text('A=1')\nassert main(str(tmp_path / '.env')) == 0\nprint(1)",
    ),
    (
        "a.test.py",
        "env = tmp_path / '.env'\nenv.write_text('A=1')\nassert 'A' in env.read_text()\n",
    ),
]


@pytest.mark.parametrize(("path", "text"), SHOWN)
def test_a_name_that_is_put_together_and_read_is_found(path: str, text: str) -> None:
    assert ".env" in {name.strip("/") for name in shown_files(path, None, text.encode())}


@pytest.mark.parametrize(("path", "text"), QUIET)
def test_settings_that_a_program_takes_in_are_shown_to_nobody(path: str, text: str) -> None:
    assert list(shown_files(path, None, text.encode())) == []
