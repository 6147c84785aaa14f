# python3 docs/drafts/measured_plans.py plans/measured: rows of ../shared/data/measured-runs.csv as plans with what was measured.
import csv,re,sys,collections,os
out=sys.argv[1]
os.makedirs(out,exist_ok=True)
rows=list(csv.DictReader(open('../shared/data/measured-runs.csv')))
def tier(r):
    m=re.search(r'\[([ABC])(-memory)?\]',r['note']); return m.group(1) if m else '?'
def core(r): return '[core]' in r['note']
def fam(r):
    m=r['model']
    if m.startswith(('gpt','mt-nlg')): return 'gpt'
    if m.startswith('bloom'): return 'bloom'
    if m.startswith('mpt'): return 'mpt'
    if m.startswith('llama'): return 'llama'
    if m.startswith('nemotron'): return 'nemotron'
    return 'moe'
def model(r):
    f=fam(r); L,h,ffn,a,kv,V=[r[k] for k in('layers','hidden','ffn','heads','kv_heads','vocab')]
    if not L: return None
    kv=kv or a
    if f=='moe':
        m=r['model']
        if m.startswith('grok1'):
            return f'{{hidden: 6144, vocab: 131072, tied: yes, norms_per_layer: 4, layers: [{{count: {L}, mixer: {{kind: attention, heads: 48, kv_heads: 8, head_width: 128}}, mlp: {{kind: moe, experts: 8, top_k: 2, width: 32768, matrices: 3}}}}]}}'
        if m.startswith('deepseek-v3'): return 'deepseek-v3'
        if m.startswith('qwen3-235b'):
            return '{hidden: 4096, vocab: 151936, layers: [{count: 94, mixer: {kind: attention, heads: 64, kv_heads: 4, head_width: 128, qk_norm: head}, mlp: {kind: moe, experts: 128, top_k: 8, width: 1536, matrices: 3}}]}'
        if m.startswith('qwen3-30b'):
            return '{hidden: 2048, vocab: 151936, layers: [{count: 48, mixer: {kind: attention, heads: 32, kv_heads: 4, head_width: 128, qk_norm: head}, mlp: {kind: moe, experts: 128, top_k: 8, width: 768, matrices: 3}}]}'
        if m.startswith('kimi'):
            mix='mixer: {kind: mla, heads: 64, q_rank: 1536, kv_rank: 512, nope_width: 128, rope_width: 64, v_width: 128}'
            return f'{{hidden: 7168, vocab: 163840, layers: [{{count: 1, {mix}, mlp: {{kind: dense, width: 18432, matrices: 3}}}}, {{count: 60, {mix}, mlp: {{kind: moe, experts: 384, top_k: 8, width: 2048, matrices: 3, shared: 1, router_bias: yes}}}}]}}'
        return None
    gated=f=='llama'
    norm=', norm: rms' if gated else ', norm: layer' if f!='mpt' else ', norm: layer_no_bias'
    pos=f', positions: {max(int(r["seq"]),2048)}' if f in('gpt','mpt') else ', positions: 0'
    tied=', tied: yes' if f in('gpt','bloom','mpt') else ', tied: no'
    bias=', bias: all' if f in('gpt','bloom') else ''
    mb=', bias: yes' if f in('gpt','bloom') else ''
    kvs=f', kv_heads: {kv}' if kv!=a else ''
    extra=''
    return f'{{hidden: {h}, vocab: {V}{tied}{pos}{norm}, layers: [{{count: {L}, mixer: {{kind: attention, heads: {a}{kvs}{bias}}}, mlp: {{kind: dense, width: {ffn}, matrices: {3 if gated else 2}{mb}}}}}]}}'
def flops96(r):
    B,s,L,h,V=[float(r[k]) for k in('global_batch','seq','layers','hidden','vocab')]
    return 96*B*s*L*h*h*(1+s/(6*h)+V/(16*L*h))
def flops72(r): return flops96(r)*.75
def llama_full(r,causal=False):
    L,h,f,a,kv,V,s=[float(r[k]) for k in('layers','hidden','ffn','heads','kv_heads','vocab','seq')]
    d=h/a
    mm=L*(h*(a+2*kv)*d+h*h+3*h*f)+V*h
    return (6*mm+12*L*h*s*(.5 if causal else 1))*s*float(r['global_batch'])
def step_time(r):
    s=re.split(r'[-.]',r['id'])[0]
    if r['step_time_s']: return float(r['step_time_s']),''
    if r['tokens_per_s_per_gpu']:
        return float(r['seq'])*float(r['global_batch'])/float(r['gpus'])/float(r['tokens_per_s_per_gpu']),f'from {r["tokens_per_s_per_gpu"]} tokens/s a GPU'
    if r['tflops_per_gpu'] and r['layers']:
        t=float(r['tflops_per_gpu'])*1e12*float(r['gpus'])
        if s=='narayanan21': return flops96(r)/t,f'from {r["tflops_per_gpu"]} TFLOP/s a GPU, recompute and full attention counted'
        if s=='megatron': return flops72(r)/t,f'from {r["tflops_per_gpu"]} TFLOP/s a GPU, full attention counted'
        if s=='llama3': return llama_full(r,True)/t,f'from {r["tflops_per_gpu"]} TFLOP/s a GPU, causal attention counted'
    return None,''
CL={'A100-SXM-80GB':('hgx-a100',8),'A100-SXM-40GB':('hgx-a100-40g',8),'H100-SXM-80GB':('hgx-h100',8),'H800-SXM-80GB':('hgx-h800',8),
'H200-SXM-141GB':('hgx-h200',8),'B200-HGX':('hgx-b200',8),'B300-HGX':('hgx-b300',8),'GB200-NVL72':('gb200-nvl72',72),'GB200-NVL72-186GB':('gb200-nvl72',72),'GB300-NVL72':('gb300-nvl72',72),
'H100-96GB-HBM2e-500W':('titan',8)}
NIC={'bloom':('opa-100',4),'vtrain':('ib-edr',8),'mosaic-a100':None}
def cluster(r):
    s=re.split(r'[-.]',r['id'])[0]
    node,per=CL[r['gpu']]
    g=int(r['gpus'])
    over=''
    if node=='titan': node,over='grand-teton-h100',', chip: {memory: {capacity: 96 GB, usable: 95.6 GB, bandwidth: 2.4 TB/s}, power: 500 W}'
    rate=None
    if s=='bloom': return f'{{node: jean-zay-a100, nodes: {g//8}}}' if False else f'{{node: {{base: hgx-a100, nics: 4, fabric: opa-100}}, nodes: {g//8}}}'
    if s=='vtrain': over=', nics: 8, fabric: eth-100'
    if s=='fms' and 'A100' in r['gpu']: over=', nics: 4, fabric: eth-100'
    if s=='fms' and 'H100' in r['gpu']: over=', nics: 8, fabric: eth-100'
    if per==72:
        if g<=72: return f'{{node: {{base: {node}, gpus: {g}}}, nodes: 1}}'
        per=next(x for x in (72,64,32,16,8,4) if g%x==0)
        return f'{{node: {{base: {node}, gpus: {per}}}, nodes: {g//per}}}'
    b=f'{{base: {node}{over}}}' if over else node
    if g<per: return f'{{node: {{base: {node}{over}, gpus: {g}}}, nodes: 1}}'
    return f'{{node: {b}, nodes: {g//per}}}'
def stack(r):
    s=re.split(r'[-.]',r['id'])[0]; g=r['gpu']
    fl=[]
    if s=='narayanan21':
        b='deepspeed-zero3-a100' if 'zero3' in r['id'] else 'megatron-2021-a100'
    elif s=='mtnlg': b='megatron-deepspeed-2022-a100'   # Megatron-DeepSpeed, as BLOOM
    elif r['id'].startswith('megatron-readme'): b='megatron-2021-a100'
    elif s=='korthikanti22': b='megatron-2022-a100'
    elif s=='bloom': b='megatron-deepspeed-2022-a100'; fl.append('overlap_gradients: no')
    elif s=='vtrain': b='megatron-deepspeed-2023-a100'; fl.append('overlap_gradients: no')
    elif s=='mosaic': b='fsdp-pytorch-2023-'+('h100' if 'H100' in g else 'a100')
    elif s=='fms': b='fsdp-pytorch-2024-'+('h100' if 'H100' in g else 'a100')
    elif s=='titan':
        b='torchtitan-2025-h200' if 'H200' in g else 'torchtitan-2024-h100-500w'
        if 'eager' in r['id']: fl.append('eager: yes')
        if '-async' in r['id'].replace('titan-asynctp',''): fl.append('async_tensor: yes')
        if 'rowwise' in r['precision']: fl.append('rowwise: yes')
    elif s=='llama3': b='llama3-2024-h100'
    elif s=='deepseek': b='deepseek-v3-h800'
    elif s=='automodel': b='automodel-2025-h100'
    elif s in('mbridge','moezoo') or (s=='dgxc' and 'GB200' in g):
        b='megatron-bridge-2025-'+('h100' if 'H100' in g else 'gb200')
        if r['id']=='moezoo-qwen3-235b-h100-2': fl.append('overlap_experts: yes')
    elif s=='dgxc' and 'maxtext' in r['id']: b='maxtext-2025-h100'
    elif s in('dgxc','megatron','nemo24','nemo'): b='nemo-2024-h100'
    else: raise Exception(r['id'])
    return b if not fl else f'{{base: {b}, {", ".join(fl)}}}'
def recompute(r):
    s=re.split(r'[-.]',r['id'])[0]; x=r['recompute']
    if 'maxtext' in r['id']: return 'full'
    if x.startswith('full'): return 'full'
    if s=='fms': return 'full' if x=='selective' else 'none'
    if s=='titan' and x.startswith('selective'): return 'operators'
    if x.startswith('selective(attention core)'): return 'selective'
    if x=='selective': return 'selective'
    if 'norm' in x: return 'norms'
    return 'none'
def interleave(r):
    L,p=int(r['layers']),int(r['pp'] or 1)
    if p==1: return 1
    if r['vpp']: return int(r['vpp'])
    s=re.split(r'[-.]',r['id'])[0]
    if s=='megatron' and 'h100' in r['id']:
        per=L//p
        return max(v for v in range(1,9) if per%v==0)
    if s=='llama3': return 8
    return 1
def plan(r):
    s=re.split(r'[-.]',r['id'])[0]
    m=model(r)
    if m is None or not r['global_batch']: return None
    T,how=step_time(r)
    mem=r['memory_gb']
    if T is None and not mem: return None
    mb=r['micro_batch'] or '1'
    t,p,c,e=[int(r[k] or 1) for k in('tp','pp','cp','ep')]
    v=interleave(r)
    sp = t>1 and (s in('megatron','dgxc','nemo24','llama3','mbridge','moezoo','titan') and 'readme' not in r['id'] or 'sequence-parallel' in r['recompute'])
    mesh=[f'tensor: {t}',f'sequence: {"yes" if sp else "no"}',f'context: {c}',f'pipeline: {p}',f'expert: {e}']
    if e>1 and t>1 and not r['model'].startswith('grok'): mesh.append('expert_tensor: 1')
    z=r['zero_or_fsdp']
    if 'zero3' in z or 'fsdp' in z.lower(): sh='fsdp'
    elif 'zero2' in z or 'grad_op' in z: sh='zero-2'
    elif 'zero1' in z or 'distributed' in z: sh='zero-1'
    elif s in('dgxc','nemo24','moezoo','deepseek','mbridge'): sh='zero-1'
    else: sh='ddp'
    if 'hsdp' in z.lower() and 'above' not in z: sh='hsdp'
    if s=='llama3': sh='zero-2'
    if 'group 8' in z: sh='hsdp'
    pr=r['precision']
    if pr.startswith('fp16'): P='fp16'
    elif 'fp8' in pr or 'float8' in pr: P='fp8'
    else: P='bf16'
    if 'not stated' in pr: P='fp8'
    if 'nvfp4' in pr: return None
    # gradient width on the wire and as kept
    over=[]
    if s in('narayanan21','mtnlg','korthikanti22') and 'zero3' not in r['id'] or 'readme' in r['id']: over=['gradients: fp32','reduce: fp32']
    if s in('megatron','dgxc','nemo24','mbridge','moezoo') and 'readme' not in r['id'] and sh!='fsdp': over=['gradients: fp32','reduce: fp32']
    if s=='llama3' or s=='deepseek': over=['gradients: fp32','reduce: fp32']
    if s=='mosaic': over=['reduce: bf16'] if 'PURE' in pr else ['reduce: fp32']
    if s=='bloom': over=['gradients: fp32','reduce: fp32'] if 'fp32 grad' in pr else []
    if s in ('titan','automodel'): over=['reduce: fp32']
    prec=P if not over else f'{{base: {P}, {", ".join(over)}}}'
    flash = s in('megatron','dgxc','mosaic','nemo24','nemo','llama3','mbridge','moezoo','titan','fms','automodel','deepseek') and 'readme' not in r['id']
    drop = s in('narayanan21','korthikanti22','mtnlg','vtrain','bloom') or 'readme' in r['id'] or ('gpt3-175b' in r['id'] and s=='dgxc')
    y=[('name',r['id']),('model',m),('cluster',cluster(r)),('mesh','{'+', '.join(mesh)+'}'),('sharding',sh)]
    if p>1: y.append(('schedule',f'{{kind: {"interleaved" if v>1 else "1f1b"}, chunks: {v}}}'))
    y+= [('batch',f'{{global: {r["global_batch"]}, micro: {mb}, sequence: {r["seq"]}}}'),('precision',prec),('recompute',recompute(r)),('stack',stack(r))]
    a=[('preset','physical'),('attention','flash' if flash else 'unfused'),('dropout','yes' if drop else 'no')]
    y.append(('assume','{'+', '.join(f'{k}: {w}' for k,w in a)+'}'))
    return y,T,how
def meta(r):
    return tier(r),core(r)
if __name__=='__main__':
    by=collections.OrderedDict()
    skipped=[]
    for r in rows:
        if tier(r) in 'C?': continue
        s=re.split(r'[-.]',r['id'])[0]
        if s=='dgxc': s={'GB200-NVL72-186GB':'dgxc-gb200'}.get(r['gpu'],'dgxc-maxtext' if 'maxtext' in r['id'] else 'dgxc-nemo')
        if s in('mosaic','fms'): s+='-'+('h100' if 'H100' in r['gpu'] else 'a100')
        if 'zero3' in r['id']: s='narayanan21-zero3'
        x=plan(r)
        if x is None: skipped.append(r['id']); continue
        by.setdefault(s,[]).append((r,)+x)
    n=0
    for s,items in by.items():
        with open(f'{out}/{s}.yaml','w') as f:
            f.write('kind: training\n')
            # shared once: keys equal in all cases
            keys=['cluster','mesh','sharding','schedule','batch','precision','recompute','stack','assume','model']
            shared={}
            for k in keys:
                vals={dict(y).get(k) for _,y,_,_ in items}
                if len(vals)==1 and None not in vals: shared[k]=vals.pop()
            src=sorted({i[0]['source'] for i in items},key=len)
            f.write('source: "'+src[0].replace('"',"'")+(f' and {len(src)-1} more sections' if len(src)>1 else '')+'"\n')
            first=dict(items[0][1])
            for k in keys:
                if k in shared: f.write(f'{k}: {shared[k]}\n')
            # fields the first case sets stand at the top too, so that the file is a plan
            for k in keys:
                if k not in shared and k in first: f.write(f'{k}: {first[k]}\n')
            f.write('cases:\n')
            for r,y,T,how in items:
                n+=1
                d=dict(y)
                f.write(f'  - name: {d["name"]}\n')
                for k in keys:
                    if k in d and k not in shared: f.write(f'    {k}: {d[k]}\n')
                    if k=='schedule' and k not in d and k in first: f.write('    schedule: {kind: 1f1b, chunks: 1}\n')
                ms=[]
                if T is not None: ms.append(f'step.time: {T:.6g} s')
                if r['memory_gb']:
                    unit='GiB' if s.startswith(('korth','titan')) else 'GB'
                    ms.append(f'memory.total: {r["memory_gb"]} {unit}')
                ms.append(f'tier: {tier(r)}'); 
                if core(r): ms.append('core: yes')
                if how: ms.append(f'derived: "{how}"')
                f.write('    measured: {'+', '.join(ms)+'}\n')
    print(n,'cases',len(skipped),'skipped',skipped[:60])
