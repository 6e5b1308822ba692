import { ConvoyError } from '../../core/errors/index.ts';

/** Shells that have a script. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `@{` stands for the `${` of the shell, which a template of this language would take for its own. */
function shell(script: TemplateStringsArray): string {
  return (script.raw[0] ?? '').replaceAll('@{', '${').replace(/^\n/, '');
}

const BASH = shell`
# bash completion for convoy. Load it with: source <(convoy completion bash)
__convoy_complete() {
  local args=() joined= word i
  # Bash splits at = and :, the program wants the words as they were typed.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=@{COMP_WORDS[i]}
    if [[ $i -gt 1 && ( $word == = || $word == : || $joined == *[=:] ) && -n $joined ]]; then
      joined+=$word
      args[@{#args[@]}-1]=$joined
    else
      joined=$word
      args+=("$word")
    fi
  done

  local out directive lines=() line
  out=$("@{COMP_WORDS[0]}" __complete "@{args[@]}" 2>/dev/null) || return
  directive=@{out##*:}
  while IFS= read -r line; do
    [[ -n $line && $line != :* ]] && lines+=("@{line%%$'\t'*}")
  done <<<"$out"

  local cur=@{COMP_WORDS[COMP_CWORD]}
  [[ $cur == = || $cur == : ]] && cur=
  COMPREPLY=()
  if ((directive & 1)); then return; fi
  if ((directive & 8)); then
    local file extension
    while IFS= read -r file; do
      if [[ -d $file ]]; then COMPREPLY+=("$file"); continue; fi
      for extension in "@{lines[@]}"; do
        [[ $file == *."$extension" ]] && COMPREPLY+=("$file")
      done
    done < <(compgen -f -- "$cur")
    type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
    return
  fi
  for line in "@{lines[@]}"; do
    [[ $line == "$cur"* ]] && COMPREPLY+=("$line")
  done
  if ((directive & 2)); then type compopt >/dev/null 2>&1 && compopt -o nospace 2>/dev/null; fi
  if ((@{#COMPREPLY[@]} == 0 && !(directive & 4))); then
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
    type compopt >/dev/null 2>&1 && compopt -o filenames 2>/dev/null
  fi
}
complete -F __convoy_complete convoy kubectl-convoy
`;

const ZSH = shell`
#compdef convoy kubectl-convoy
# zsh completion for convoy. Load it with: source <(convoy completion zsh)
_convoy() {
  local out directive line value
  local -a lines described
  out=$("@{words[1]}" __complete "@{(@)words[2,CURRENT]}" 2>/dev/null) || return 1
  lines=("@{(@f)out}")
  directive=@{lines[-1]#:}
  lines[-1]=()
  if ((directive & 1)); then return 1; fi
  if ((directive & 8)); then
    _files -g "*.(@{(j:|:)lines})"
    return
  fi
  for line in "@{lines[@]}"; do
    [[ -z $line ]] && continue
    value=@{@{line%%$'\t'*}//:/\\:}
    if [[ $line == *$'\t'* ]]; then described+=("$value:@{line#*$'\t'}"); else described+=("$value"); fi
  done
  # A value behind --flag= is completed without the flag.
  [[ @{words[CURRENT]} == -*=* ]] && compset -P '*='
  if ((@{#described} == 0)); then
    ((directive & 4)) || _files
    return
  fi
  if ((directive & 2)); then _describe convoy described -S ''; else _describe convoy described; fi
}
if [[ @{funcstack[1]} == _convoy ]]; then
  _convoy "$@"
else
  compdef _convoy convoy kubectl-convoy
fi
`;

const FISH = shell`
# fish completion for convoy. Load it with: convoy completion fish | source
function __convoy_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l lines ($program __complete $words "$current" 2>/dev/null)
    or return 1
    set -l directive (string replace -r '^:' '' -- $lines[-1])
    set -e lines[-1]
    test -n "$directive"; or return 1
    test (math "bitand($directive, 1)") -eq 0; or return 1
    if test (math "bitand($directive, 8)") -ne 0
        for extension in $lines
            __fish_complete_suffix "$current" .$extension
        end
        return
    end
    set -l prefix (string match -r -- '^-[^=]*=' $current)
    for line in $lines
        printf '%s%s\n' "$prefix" $line
    end
    if test (count $lines) -eq 0; and test (math "bitand($directive, 4)") -eq 0
        __fish_complete_path "$current"
    end
end
complete -c convoy -f -a '(__convoy_complete)'
complete -c kubectl-convoy -f -a '(__convoy_complete)'
`;

const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

/** The script of a shell. Throws ShellUnknown for one that has none. */
export function completionScript(name: string): string {
  const script = Object.hasOwn(SCRIPTS, name) ? SCRIPTS[name] : undefined;
  if (script === undefined) throw new ConvoyError('ShellUnknown', { shell: name });
  return script;
}
